/**
 * `npm run bench [-- name ...]`: runs the measurements of bench/src one after another, and prints each ratio with its
 * limit. A measurement reports through `bench/report.ts`.
 */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { measure, rowOf, table, verdict } from './measurements.mjs'
import {
  buildPages,
  checkMachine,
  install,
  main,
  Refusal,
  requirePrograms,
  root,
  step,
  stopOnSignals,
} from './workspace.mjs'

/** For measurements with real browsers whose cameras play files. */
const BROWSERS = { 'chromium-headless-shell': 'chromium-headless-shell', ffmpeg: 'ffmpeg' }

/** Programs that a measurement needs besides the workspace, for itself or for the program it is compared with. */
const PROGRAMS = {
  audience: { ffmpeg: 'ffmpeg' },
  bottleneck: BROWSERS,
  cluster: { pg_createcluster: 'postgresql', 'nats-server': 'nats-server', haproxy: 'haproxy' },
  composer: { ffmpeg: 'ffmpeg' },
  'fan-out': { janus: 'janus' },
  'glass-to-glass': BROWSERS,
  join: BROWSERS,
  layout: BROWSERS,
  link: BROWSERS,
  loop: { ffmpeg: 'ffmpeg' },
  memory: { ffmpeg: 'ffmpeg' },
  playback: { ffmpeg: 'ffmpeg' },
  room: { ffmpeg: 'ffmpeg' },
  return: { ffmpeg: 'ffmpeg' },
  spread: {
    pg_createcluster: 'postgresql',
    'nats-server': 'nats-server',
    haproxy: 'haproxy',
    ffmpeg: 'ffmpeg',
  },
  scale: { pg_createcluster: 'postgresql', 'nats-server': 'nats-server' },
  rooms: { ffmpeg: 'ffmpeg' },
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
    const { code, measurements } = await step(`bench ${name}`, () => measure(path.join(folder, `${name}.ts`)))
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
