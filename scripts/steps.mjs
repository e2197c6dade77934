/** Runs named steps one after the other, all of them whatever fails, and sums up. */
import { progress, Refusal, step } from './workspace.mjs'

/** @typedef {{ name: string, passes: () => Promise<boolean> }} Step */

/**
 * @param {Step[]} steps
 * @returns {Promise<number>} exit code: 0 where all passed
 */
export async function runSteps(steps) {
  /** @type {{ name: string, passed: boolean, seconds: number }[]} */
  const results = []
  for (const { name, passes } of steps) {
    const fromMs = performance.now()
    const passed = await step(name, passes).catch((error) => {
      console.error(error instanceof Refusal ? error.message : error)
      return false
    })
    if (!passed) progress(`${name}: FAILED`)
    results.push({ name, passed, seconds: (performance.now() - fromMs) / 1000 })
  }
  console.log('')
  for (const { name, passed, seconds } of results) {
    console.log(`${passed ? 'pass' : 'FAIL'}  ${seconds.toFixed(1).padStart(6)} s  ${name}`)
  }
  const failed = results.filter((result) => !result.passed).length
  const total = results.reduce((sum, { seconds }) => sum + seconds, 0)
  console.log(
    `\n${failed === 0 ? `All ${results.length} passed` : `${failed} of ${results.length} FAILED`} in ${total.toFixed(0)} s`,
  )
  return failed === 0 ? 0 : 1
}
