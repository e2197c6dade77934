/**
 * Every exported function and class has a comment, except in tests. React components need none: their names and props
 * say what they show. A factory such as `createRooms()` needs none either if the interface `Rooms` in the same file has
 * a comment.
 */
import {
  isArrowFunction,
  isClassDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isInterfaceDeclaration,
  isVariableStatement,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { isTestCode, violation } from './program.mjs'

/** @typedef {import('./program.mjs').Node} Node */

/** @param {import('./program.mjs').Source} source @returns {import('./program.mjs').Violation[]} */
export function missingComments(source) {
  if (isTestCode(source.file) || source.file.endsWith('.tsx')) return []
  const lacking = source.tree.statements.filter(
    (node) => isExported(node) && nameOf(node) && !hasComment(node, source) && !isFactory(node, source),
  )
  return lacking.map((node) =>
    violation(
      source,
      node,
      `${nameOf(node)} is exported without a /** comment */: say what the reader cannot see from its name and types`,
    ),
  )
}

/** @param {Node} node @returns {string | undefined} of a function or class */
function nameOf(node) {
  if (isFunctionDeclaration(node) || isClassDeclaration(node)) return node.name?.text ?? 'the default export'
  if (!isVariableStatement(node)) return undefined
  const functions = node.declarationList.declarations.filter(
    ({ initializer }) => initializer && (isArrowFunction(initializer) || isFunctionExpression(initializer)),
  )
  return functions[0]?.name.getText()
}

/** @param {Node} node */
function isExported(node) {
  const modifiers = /** @type {{ modifiers?: readonly Node[] }} */ (node).modifiers ?? []
  return modifiers.some(({ kind }) => kind === SyntaxKind.ExportKeyword)
}

/**
 * Whether this function creates what a commented interface of the same file describes.
 * @param {Node} node
 * @param {import('./program.mjs').Source} source
 */
function isFactory(node, source) {
  const made = nameOf(node)?.match(/^create(.+)/)?.[1]
  return source.tree.statements.some(
    (other) => isInterfaceDeclaration(other) && other.name.text === made && hasComment(other, source),
  )
}

/** @param {Node} node @param {import('./program.mjs').Source} source */
function hasComment(node, { tree }) {
  return tree.text.slice(node.pos, node.getStart(tree)).includes('/**')
}
