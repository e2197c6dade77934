/**
 * No floating promise: a statement that creates a promise awaits it, handles its rejection, or marks it with `void`.
 * TypeScript's types decide what is a promise, so promises of Node and of packages count as well.
 */
import {
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { nodesOf, violation } from './program.mjs'

/**
 * @typedef {import('./program.mjs').Node} Node
 * @typedef {import('typescript/unstable/sync').Type} Type
 * @typedef {import('typescript/unstable/sync').Checker} Checker
 */

/** @param {import('./program.mjs').Source} source @returns {import('./program.mjs').Violation[]} */
export function floatingPromises(source) {
  const statements = [...nodesOf(source.tree)].filter(isExpressionStatement)
  const results = statements.flatMap(({ expression }) => resultsOf(expression))
  if (results.length === 0) return []
  const types = source.checker.getTypeAtLocation(results)
  return results
    .filter((_, i) => holdsPromise(types[i], source.checker))
    .map((node) =>
      violation(
        source,
        node,
        'nobody awaits this promise: await it, catch its rejection, or write `void` before it',
      ),
    )
}

/**
 * The calls whose result a statement drops, except those that handle a rejection. @param {Node} node @returns {Node[]}
 */
function resultsOf(node) {
  if (isParenthesizedExpression(node)) return resultsOf(node.expression)
  if (isConditionalExpression(node)) return [...resultsOf(node.whenTrue), ...resultsOf(node.whenFalse)]
  if (isBinaryExpression(node)) {
    const { kind } = node.operatorToken
    const isLogical =
      kind === SyntaxKind.AmpersandAmpersandToken ||
      kind === SyntaxKind.BarBarToken ||
      kind === SyntaxKind.QuestionQuestionToken
    return isLogical ? [...resultsOf(node.left), ...resultsOf(node.right)] : []
  }
  if (!isCallExpression(node)) return []
  return handlesRejection(node) ? [] : [node]
}

/** @param {import("typescript/unstable/ast").CallExpression} call @returns {boolean} */
function handlesRejection(call) {
  const callee = call.expression
  if (!isPropertyAccessExpression(callee)) return false
  const name = callee.name.text
  if (name === 'finally') return isCallExpression(callee.expression) && handlesRejection(callee.expression)
  return (name === 'catch' && call.arguments.length === 1) || (name === 'then' && call.arguments.length === 2)
}

/**
 * Whether a type is a promise, an array of promises, or a union that contains one. @param {Type | undefined} type
 * @param {Checker} checker @returns {boolean}
 */
function holdsPromise(type, checker) {
  if (!type) return false
  if (type.isUnionType()) return type.getTypes().some((part) => holdsPromise(part, checker))
  if (!type.isTypeReference()) return false
  const name = type.getSymbol()?.name
  if (name === 'Promise' || name === 'PromiseLike') return true
  return name === 'Array' && checker.getTypeArguments(type).some((part) => holdsPromise(part, checker))
}
