/**
 * The texts of the pages and the code agree: no text is unused, each gets the values that it has places for, and each
 * part of the page loads the areas of texts that it shows before it is drawn.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import {
  isCallExpression,
  isIdentifier,
  isImportDeclaration,
  isNoSubstitutionTemplateLiteral,
  isObjectLiteralExpression,
  isStringLiteral,
  isTemplateExpression,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { root } from '../workspace.mjs'
import { stylesNotListed } from './first-styles.mjs'
import { importsOf } from './imports.mjs'
import { areasOf, FIRST_AREA, FIRST_FILE } from './page-parts.mjs'
import { isTestCode, nodesOf, violation } from './program.mjs'

/**
 * @typedef {import('./program.mjs').Node} Node
 * @typedef {import('./program.mjs').Source} Source
 * @typedef {import('./program.mjs').Violation} Violation
 */

/** @typedef {import('./page-parts.mjs').Part} Part */

const FOLDER = 'web/src/languages'
const TEXT_ID = /^[a-z]+\.[a-z0-9-]+$/

/** @returns {{ law: (source: Source) => Violation[], atEnd: () => Violation[] }} `law` sees all files, then comes `atEnd` */
export function textUse() {
  const texts = englishTexts()
  /** @type {Map<string, Part>} */
  const parts = new Map()
  const unused = new Set(texts.keys())
  return { law, atEnd: () => [...unusedTexts(), ...areasNotLoaded(parts), ...stylesNotListed(parts)] }

  /** @param {Source} source */
  function law(source) {
    const { file } = source
    if (!/^web\/src\/.*\.tsx?$/.test(file) || isTestCode(file)) return []
    const part = partOf(source)
    parts.set(file, part)
    const nodes = [...nodesOf(source.tree)]
    for (const id of nodes.flatMap((node) => idsIn(node, source, texts))) {
      unused.delete(id)
      part.shows.add(areaOf(id))
    }
    return nodes.flatMap((node) => wrongValues(node, source, texts))
  }

  function unusedTexts() {
    return [...unused].map((id) => ({
      file: `${FOLDER}/${areaOf(id)}/en.json`,
      line: 1,
      says: `nothing shows ${id}: delete it in all languages`,
    }))
  }
}

/** @returns {Map<string, string>} by id */
function englishTexts() {
  const folder = path.join(root, FOLDER)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('en.json'),
  )
  const entries = files.flatMap((name) =>
    Object.entries(JSON.parse(readFileSync(path.join(folder, name), 'utf8'))),
  )
  return new Map(entries)
}

/** @param {string} id */
const areaOf = (id) => id.split('.')[0] ?? ''

/**
 * The texts that a literal names. The checker knows what a template can be, such as `guest.${kind}-failed`.
 * @param {Node} node @param {Source} source @param {Map<string, string>} texts
 */
function idsIn(node, { checker }, texts) {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node))
    return texts.has(node.text) ? [node.text] : []
  if (!isTemplateExpression(node) || !TEXT_ID.test(`${node.head.text}x`)) return []
  const type = checker.getTypeAtLocation(node)
  const types = type?.isUnionType() ? type.getTypes() : [type]
  return types.flatMap((one) => (one?.isStringLiteralType() && texts.has(one.value) ? [one.value] : []))
}

/** @param {Node} node @param {Source} source @param {Map<string, string>} texts @returns {Violation[]} */
function wrongValues(node, source, texts) {
  if (!isCallExpression(node) || !isIdentifier(node.expression) || node.expression.text !== 't') return []
  const [id, values] = node.arguments
  if (!id || !isStringLiteral(id)) return []
  if (values && !isObjectLiteralExpression(values)) return []
  const properties = /** @type {readonly { name?: Node | undefined }[]} */ (values?.properties ?? [])
  const given = properties.map(({ name }) => name?.getText() ?? '')
  const places = placesOf(texts.get(id.text) ?? '')
  if ([...new Set(given)].sort().join() === places.sort().join()) return []
  return [violation(source, node, `${id.text} has places for {${places}}, and gets {${given}}`)]
}

/** The names in a text of ICU MessageFormat: every second level of braces is a place. @param {string} text */
function placesOf(text) {
  const found = new Set()
  let depth = 0
  for (const [sign, name] of text.matchAll(/\{\s*(\w*)|\}/g)) {
    depth += sign === '}' ? -1 : 1
    if (sign !== '}' && depth % 2 === 1) found.add(name)
  }
  return /** @type {string[]} */ ([...found])
}

/** @param {Source} source @returns {Part} */
function partOf(source) {
  const imports = importsOf(source).filter(({ node }) => !isOfTypes(node))
  const isLazy = (/** @type {Node} */ node) => isCallExpression(node)
  const lazy = imports.filter(({ node }) => isLazy(node))
  return {
    imports: imports.filter(({ node }) => !isLazy(node)).map(({ from }) => from),
    lazy: lazy.map(({ node, from }) => ({ from, found: violation(source, node, from) })),
    shows: new Set(),
    loads: new Set([FIRST_AREA, ...[...nodesOf(source.tree)].flatMap(loadedBy)]),
  }
}

/** @param {Node} node */
function isOfTypes(node) {
  return isImportDeclaration(node) && node.importClause?.phaseModifier === SyntaxKind.TypeKeyword
}

/** @param {Node} node @returns {string[]} areas */
function loadedBy(node) {
  if (!isCallExpression(node) || !isIdentifier(node.expression) || node.expression.text !== 'loadTexts')
    return []
  return node.arguments.flatMap((area) => (isStringLiteral(area) ? [area.text] : []))
}

/** @param {Map<string, Part>} parts @returns {Violation[]} */
function areasNotLoaded(parts) {
  const entry = { from: FIRST_FILE, found: { file: FIRST_FILE, line: 1, says: FIRST_FILE } }
  const ways = [...parts.values()].flatMap(({ lazy, loads }) => lazy.map((one) => ({ ...one, loads })))
  return [{ ...entry, loads: new Set([FIRST_AREA]) }, ...ways].flatMap(({ from, found, loads }) => {
    const missing = [...areasOf(from, parts)].filter((area) => !loads.has(area))
    const call = `loadTexts(${missing.map((area) => `'${area}'`).join(', ')})`
    return missing.length === 0
      ? []
      : [{ ...found, says: `${from} shows other texts than are loaded: await ${call} beside this import` }]
  })
}
