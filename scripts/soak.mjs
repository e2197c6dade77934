/**
 * `npm run soak -- --minutes N`: people come and go, and rooms, recordings and streams start and end. Memory,
 * descriptors, timers and rows must not grow. `npm run soak -- --kills N`: kills the server during meetings.
 */
import { spawn } from 'node:child_process'
import path from 'node:path'
import { rowOf, table, verdict } from './measurements.mjs'
import {
  checkMachine,
  innerEnvironment,
  install,
  main,
  pinnedNode,
  requirePrograms,
  root,
  step,
  stopOnSignals,
} from './workspace.mjs'

/** @typedef {import('../bench/report.ts').Measurement} Measurement */

/** @param {Measurement[]} measurements receives the reports @returns {Promise<number>} the exit code */
function soak(measurements) {
  return new Promise((resolve, reject) => {
    const program = path.join(root, 'bench', 'soak', 'main.ts')
    const child = spawn(pinnedNode, [program, ...process.argv.slice(2)], {
      cwd: root,
      env: innerEnvironment(),
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    })
    child.on('message', (message) => measurements.push(/** @type {Measurement} */ (message)))
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
}

await main(async () => {
  stopOnSignals()
  checkMachine()
  await install()
  await requirePrograms({ ffmpeg: 'ffmpeg' }, 'The soak')
  /** @type {Measurement[]} */
  const measurements = []
  const code = await step('soak', () => soak(measurements))
  console.log('')
  table([['measured', 'value', 'limit', ''], ...measurements.map(rowOf)])
  return code !== 0 || measurements.some((one) => verdict(one) === 'FAIL') ? 1 : 0
})
