/**
 * A list of names is written once, outside tests: somebody who adds a name to one copy forgets the other. The order of
 * the names does not matter.
 */
import { isArrayLiteralExpression, isStringLiteral } from 'typescript/unstable/ast'
import { isTestCode, nodesOf, violation } from './program.mjs'

/** Shorter lists may be the same by chance. */
const SHORTEST = 5

/** @returns {(source: import('./program.mjs').Source) => import('./program.mjs').Violation[]} remembers the lists of all files that it has seen */
export function repeatedLists() {
  /** @type {Map<string, string>} where each list was seen first, by its names */
  const places = new Map()
  return (source) => (isExempt(source.file) ? [] : [...listsOf(source)].flatMap(check))

  /** @param {{ source: import('./program.mjs').Source, node: import('./program.mjs').Node, names: string[] }} list */
  function check({ source, node, names }) {
    const key = JSON.stringify(names)
    const first = places.get(key)
    const found = violation(source, node, `this list also stands at ${first}: export one and import it`)
    if (first === undefined) places.set(key, `${found.file}:${found.line}`)
    return first === undefined ? [] : [found]
  }
}

/** A migration repeats what was true when it was written. @param {string} file */
const isExempt = (file) => isTestCode(file) || file.includes('/migrations/')

/** @param {import('./program.mjs').Source} source */
function* listsOf(source) {
  for (const node of nodesOf(source.tree)) {
    if (!isArrayLiteralExpression(node) || node.elements.length < SHORTEST) continue
    const names = node.elements.flatMap((element) => (isStringLiteral(element) ? [element.text] : []))
    if (names.length === node.elements.length) yield { source, node, names: names.sort() }
  }
}
