/** The imports of a file, in every form. */
import path from 'node:path'
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isStringLiteral,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { nodesOf } from './program.mjs'

/** @typedef {import('./program.mjs').Node} Node */

/**
 * `from`: the imported file below the repository's folder, or a package.
 * @typedef {{ node: Node, from: string }} Import
 */

/**
 * Finds imports of values and of types, re-exports, and `import()` of both kinds.
 * @param {import('./program.mjs').Source} source
 * @returns {Import[]}
 */
export function importsOf({ file, tree }) {
  /** @type {Import[]} */
  const found = []
  for (const node of nodesOf(tree)) {
    const text = specifierOf(node)
    if (text === undefined) continue
    const from = text.startsWith('.') ? path.join(path.dirname(file), text) : text
    found.push({ node, from })
  }
  return found
}

/** @param {Node} node @returns {string | undefined} */
function specifierOf(node) {
  /** @type {Node | undefined} */
  let specifier
  if (isImportDeclaration(node) || isExportDeclaration(node)) specifier = node.moduleSpecifier
  else if (isImportTypeNode(node))
    specifier = isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  else if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword)
    specifier = node.arguments[0]
  return specifier && isStringLiteral(specifier) ? specifier.text : undefined
}
