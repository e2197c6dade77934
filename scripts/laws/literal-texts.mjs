/**
 * What a page shows is in the files of texts (`web/src/languages`), in all languages: no component has a literal text,
 * between its tags, in an attribute that is read or shown, or anywhere else where it begins like a sentence.
 */
import {
  isBinaryExpression,
  isCallExpression,
  isCaseClause,
  isConditionalExpression,
  isElementAccessExpression,
  isImportDeclaration,
  isJsxAttribute,
  isJsxExpression,
  isJsxText,
  isLiteralTypeNode,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isParenthesizedExpression,
  isPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { isTestCode, nodesOf, violation } from './program.mjs'

/** @typedef {import('./program.mjs').Node} Node */

/** Attributes and fields that people see or hear. */
const SHOWN = ['aria-label', 'aria-valuetext', 'alt', 'hint', 'label', 'placeholder', 'text', 'title']
/** The product's name, and what stands in addresses and headers of HTTP. */
const NAMES = /Parley|^(Basic|Bearer) |:\/\/$/
const LETTERS = /\p{L}{2}/u
/** A sentence, or a word as a button has it. */
const SENTENCE = /^\p{Lu}\p{Ll}+([ .,:…]|$)/u
/** The id of a text, with a dot behind its area. */
const TEXT_ID = /^[a-z]+\.[a-z0-9-]+$/
const COMPARISONS = [SyntaxKind.EqualsEqualsEqualsToken, SyntaxKind.ExclamationEqualsEqualsToken]
const SAYS = 'people see this text: write it into web/src/languages, in all languages, and show it with t()'

/** Languages have their own names for themselves, in every language the same. */
const EXEMPT = 'web/src/languages/languages.ts'

/** @param {import('./program.mjs').Source} source @returns {import('./program.mjs').Violation[]} */
export function literalTexts(source) {
  const { file } = source
  if (!/^web\/src\/.*\.tsx?$/.test(file) || file === EXEMPT || isTestCode(file)) return []
  return [...nodesOf(source.tree)].filter(isShown).map((node) => violation(source, node, SAYS))
}

/** @param {Node} node */
function isShown(node) {
  if (isJsxText(node)) return LETTERS.test(node.text) && !NAMES.test(node.text)
  const text = textOf(node)
  if (text === undefined || TEXT_ID.test(text) || NAMES.test(text)) return false
  const place = placeOf(node)
  if (isShownPlace(place)) return LETTERS.test(text)
  return SENTENCE.test(text) && !isForMachines(place)
}

/** @param {Node} node @returns {string | undefined} of a literal, without what is put into it */
function textOf(node) {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text
  if (!isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map((span) => span.literal.text).join('')
}

/** Where the value of an expression goes: past brackets, choices and alternatives. @param {Node} node @returns {Node} */
function placeOf(node) {
  const { parent } = node
  const isPassedOn =
    isParenthesizedExpression(parent) ||
    isJsxExpression(parent) ||
    (isConditionalExpression(parent) && parent.condition !== node) ||
    (isBinaryExpression(parent) && !COMPARISONS.includes(parent.operatorToken.kind))
  return isPassedOn ? placeOf(parent) : parent
}

/** @param {Node} place */
function isShownPlace(place) {
  return (isJsxAttribute(place) || isPropertyAssignment(place)) && SHOWN.includes(place.name.getText())
}

/** Errors for developers, names of keys and classes, types. @param {Node} place */
function isForMachines(place) {
  return (
    isNewExpression(place) ||
    (isCallExpression(place) && place.expression.kind === SyntaxKind.SuperKeyword) ||
    isBinaryExpression(place) ||
    isCaseClause(place) ||
    isElementAccessExpression(place) ||
    isImportDeclaration(place) ||
    isLiteralTypeNode(place)
  )
}
