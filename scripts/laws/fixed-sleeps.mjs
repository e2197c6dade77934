/**
 * No fixed sleep in a test: it is too short on a busy machine and wasted on a fast one. A test waits for the expected
 * state. If time itself is the subject (a stay of five seconds, checking that nothing happens), the test uses
 * `timePasses`.
 */
import {
  isArrowFunction,
  isCallExpression,
  isFunctionExpression,
  isIdentifier,
  isImportDeclaration,
  isNamedImports,
  isNewExpression,
  isPropertyAccessExpression,
  isStringLiteral,
} from 'typescript/unstable/ast'
import { isTestCode, nodesOf, violation } from './program.mjs'

/** Helpers that wait for the tests: they poll until a state is right, or pass time on purpose. */
const WAITING = ['time-passes.ts', 'eventually.ts']

const SAYS =
  'this waits for a time, not for what the test awaits: use eventually() or vi.waitFor(), or timePasses() where time itself is the subject'

/** @typedef {import('./program.mjs').Node} Node */

/** @param {import('./program.mjs').Source} source @returns {import('./program.mjs').Violation[]} */
export function fixedSleeps(source) {
  if (!isTestCode(source.file)) return []
  if (WAITING.some((name) => source.file.endsWith(`/testing/${name}`))) return []
  const sleeps = namesOfSleep(source.tree)
  return [...nodesOf(source.tree)]
    .filter((node) => isSleep(node, sleeps) || isPromisedTimeout(node) || looksAtClock(node))
    .map((node) => violation(source, node, SAYS))
}

/**
 * The names under which a file imports `setTimeout`, `sleep` and the like from Node's promise API. @param {Node} tree
 * @returns {Set<string>}
 */
function namesOfSleep(tree) {
  const names = new Set()
  for (const node of nodesOf(tree)) {
    if (!isImportDeclaration(node) || !isStringLiteral(node.moduleSpecifier)) continue
    if (!/^(node:)?timers\/promises$/.test(node.moduleSpecifier.text)) continue
    const bindings = node.importClause?.namedBindings
    if (!bindings || !isNamedImports(bindings)) continue
    for (const { propertyName, name } of bindings.elements) {
      if ((propertyName ?? name).text === 'setTimeout') names.add(name.text)
    }
  }
  return names
}

/**
 * Finds `await delay(300)`, and Playwright's `page.waitForTimeout(300)`. A delay that a signal can end is a time-out
 * and is allowed.
 * @param {Node} node
 * @param {Set<string>} names
 */
function isSleep(node, names) {
  if (!isCallExpression(node)) return false
  const callee = node.expression
  if (isIdentifier(callee)) return names.has(callee.text) && node.arguments.length < 3
  return isPropertyAccessExpression(callee) && callee.name.text === 'waitForTimeout'
}

/** Finds `eventually('a while', async () => Date.now(), …)`, which only waits for the clock. @param {Node} node */
function looksAtClock(node) {
  if (!isCallExpression(node) || !isIdentifier(node.expression) || node.expression.text !== 'eventually')
    return false
  const look = node.arguments[1]
  return (
    look !== undefined && isArrowFunction(look) && /^(Date|performance)\.now\(\)/.test(look.body.getText())
  )
}

/** Finds `new Promise((resolve) => setTimeout(resolve, 300))`. @param {Node} node */
function isPromisedTimeout(node) {
  if (!isNewExpression(node) || !isIdentifier(node.expression) || node.expression.text !== 'Promise')
    return false
  const executor = node.arguments?.[0]
  if (!executor || !(isArrowFunction(executor) || isFunctionExpression(executor))) return false
  const resolve = executor.parameters[0]?.name
  if (!resolve || !isIdentifier(resolve)) return false
  return [...nodesOf(executor.body)].some(
    (inner) =>
      isCallExpression(inner) &&
      isIdentifier(inner.expression) &&
      inner.expression.text === 'setTimeout' &&
      inner.arguments[0] !== undefined &&
      isIdentifier(inner.arguments[0]) &&
      inner.arguments[0].text === resolve.text,
  )
}
