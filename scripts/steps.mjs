/** Runs named steps, even if some fail, and prints a summary. */
import { Refusal, step } from './workspace.mjs'

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {() => Promise<boolean>} passes
 * @property {() => string[]} [failures] what failed, one line each
 * @property {() => string[]} [defects] what passed but has to be fixed nevertheless, one line each
 */

/** A failed step. It has printed the reason already. */
class Failed extends Error {}

/** @param {Step} one @returns {Promise<boolean>} */
async function attempt({ name, passes }) {
  try {
    await step(name, async () => {
      if (!(await passes())) throw new Failed()
    })
    return true
  } catch (error) {
    if (!(error instanceof Failed)) console.error(error instanceof Refusal ? error.message : error)
    return false
  }
}

/** @typedef {{ name: string, passed: boolean, seconds: number, failures: string[], defects: string[] }} Result */

/** @param {Step} one @returns {Promise<Result>} */
async function resultOf(one) {
  const fromMs = performance.now()
  const passed = await attempt(one)
  const failures = passed ? [] : (one.failures?.() ?? [])
  const defects = one.defects?.() ?? []
  return { name: one.name, passed, seconds: (performance.now() - fromMs) / 1000, failures, defects }
}

/** How many steps of a group run at once. */
const LANES = 2

/** @param {Step[]} group @returns {Promise<Result[]>} in the order of the steps */
async function resultsOf(group) {
  /** @type {Result[]} */
  const results = []
  const waiting = [...group.entries()]
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await resultOf(next[1])
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return results
}

/**
 * @param {(Step | Step[])[]} steps run in order; those of a group run beside each other
 * @returns {Promise<number>} exit code: 0 if all passed
 */
export async function runSteps(steps) {
  const fromMs = performance.now()
  /** @type {Result[]} */
  const results = []
  for (const one of steps) results.push(...(await resultsOf([one].flat())))
  console.log('')
  for (const { name, passed, seconds, failures } of results) {
    console.log(`${passed ? 'pass' : 'FAIL'}  ${seconds.toFixed(1).padStart(6)} s  ${name}`)
    for (const failure of failures) console.log(`      ${failure}`)
  }
  const failed = results.filter((result) => !result.passed).length
  const verdict = failed === 0 ? `All ${results.length} passed` : `${failed} of ${results.length} FAILED`
  const total = (performance.now() - fromMs) / 1000
  const defects = results.flatMap((result) => result.defects)
  if (defects.length > 0) {
    console.log('\nDefects to mend: these passed only at their second try. The first one failed with')
    for (const defect of defects) console.log(`      ${defect}`)
  }
  console.log(
    `\n${verdict} in ${total.toFixed(0)} s${defects.length > 0 ? `, ${defects.length} at the second try` : ''}`,
  )
  return failed === 0 ? 0 : 1
}
