/**
 * `npm run bench [-- name ...]`: runs the measurements of bench/src one after another, and prints each ratio with its
 * limit. A measurement reports through `bench/report.ts`.
 */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { rowOf, table, verdict } from './measurements.mjs'
import {
  buildPages,
  checkMachine,
  innerEnvironment,
  install,
  main,
  pinnedNode,
  Refusal,
  requirePrograms,
  root,
  step,
  stopOnSignals,
} from './workspace.mjs'

/** @typedef {import('../bench/report.ts').Measurement} Measurement */

/** For measurements with real browsers whose cameras play files. */
const BROWSERS = { 'chromium-headless-shell': 'chromium-headless-shell', ffmpeg: 'ffmpeg' }

/** Programs that a measurement needs besides the workspace, for itself or for the program it is compared with. */
const PROGRAMS = {
  audience: { ffmpeg: 'ffmpeg' },
  composer: { ffmpeg: 'ffmpeg' },
  'fan-out': { janus: 'janus' },
  'glass-to-glass': BROWSERS,
  join: BROWSERS,
  layout: BROWSERS,
  memory: BROWSERS,
  playback: { ffmpeg: 'ffmpeg' },
  room: { ffmpeg: 'ffmpeg' },
  rest: { ffmpeg: 'ffmpeg' },
}

const folder = path.join(root, 'bench', 'src')

function names() {
  const all = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => path.basename(file, '.ts'))
  const asked = process.argv.slice(2)
  const unknown = asked.filter((name) => !all.includes(name))
  if (unknown.length > 0)
    throw new Refusal(`There is no bench "${unknown.join('", "')}". There are: ${all.join(', ')}.`)
  return asked.length > 0 ? asked : all
}

/**
 * @param {string} name
 * @returns {Promise<{ code: number, measurements: Measurement[] }>}
 */
function measure(name) {
  return new Promise((resolve, reject) => {
    /** @type {Measurement[]} */
    const measurements = []
    const child = spawn(pinnedNode, [path.join(folder, `${name}.ts`)], {
      cwd: root,
      env: innerEnvironment(),
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    })
    child.on('message', (message) => measurements.push(/** @type {Measurement} */ (message)))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, measurements }))
  })
}

await main(async () => {
  stopOnSignals()
  checkMachine()
  await install()
  await buildPages()
  const rows = [['bench', 'measured', 'value', 'limit', '']]
  let failed = false
  for (const name of names()) {
    const programs = PROGRAMS[/** @type {keyof typeof PROGRAMS} */ (name)]
    if (programs) await requirePrograms(programs, `The bench "${name}"`)
    const { code, measurements } = await step(`bench ${name}`, () => measure(name))
    for (const measurement of measurements) {
      rows.push([name, ...rowOf(measurement)])
      if (verdict(measurement) === 'FAIL') failed = true
    }
    if (code !== 0 || measurements.length === 0) {
      rows.push([name, code === 0 ? 'reported nothing' : `ended with code ${code}`, '', '', 'FAIL'])
      failed = true
    }
  }
  console.log('')
  table(rows)
  return failed ? 1 : 0
})
