/** `npm test`: everything there is to show that the server works, unit tests to browsers, in one run. */
import { checks, passes } from './checks.mjs'
import { runSteps } from './steps.mjs'
import { buildPages, checkMachine, install, main, requirePrograms, run, stopOnSignals } from './workspace.mjs'

/** What the tests drive, measure with and store in: program to Debian package. */
const PROGRAMS = {
  chromium: 'chromium',
  ffmpeg: 'ffmpeg',
  ffprobe: 'ffmpeg',
  python3: 'python3',
  ip: 'iproute2',
  postgres: 'postgresql',
  // Of its programs, this one is on the path; it comes with the server.
  pg_createcluster: 'postgresql',
}

/** @param {string[]} args */
const vitest = async (...args) => (await run('vitest', ['run', ...args])).code === 0

await main(async () => {
  stopOnSignals()
  checkMachine()
  await install()
  await requirePrograms(PROGRAMS, 'The test run')
  return runSteps([
    ...checks.map((check) => ({ name: check.name, passes: () => passes(check) })),
    { name: 'unit and API tests', passes: () => vitest('--project', 'server', '--project', 'web') },
    { name: 'the pages build', passes: () => buildPages().then(() => true) },
    {
      name: 'acceptance with browsers',
      passes: () => vitest('--project', '*acceptance', '--no-file-parallelism'),
    },
  ])
})
