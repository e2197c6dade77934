/** `npm test`: everything there is to show that the server works, unit tests to browsers, in one run. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { checks, passes } from './checks.mjs'
import { runSteps } from './steps.mjs'
import {
  buildPages,
  checkMachine,
  innerEnvironment,
  install,
  main,
  requirePrograms,
  root,
  run,
  stopOnSignals,
} from './workspace.mjs'

/** What the tests drive, measure with and store in: program to Debian package. */
const PROGRAMS = {
  chromium: 'chromium',
  'firefox-esr': 'firefox-esr',
  ffmpeg: 'ffmpeg',
  ffprobe: 'ffmpeg',
  python3: 'python3',
  'espeak-ng': 'espeak-ng',
  ip: 'iproute2',
  postgres: 'postgresql',
  // Of its programs, this one is on the path; it comes with the server.
  pg_createcluster: 'postgresql',
}

/** What the tests start many times over, servers and commands, need not be compiled each time. */
const env = {
  ...innerEnvironment(),
  NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'node-compile'),
}

const reports = mkdtempSync(path.join(tmpdir(), 'parley-tests-'))
process.on('exit', () => rmSync(reports, { recursive: true, force: true }))

/**
 * @param {string} name
 * @param {string[]} args
 * @returns {import('./steps.mjs').Step}
 */
function vitest(name, ...args) {
  const report = path.join(reports, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  return {
    name,
    passes: async () => (await run('vitest', ['run', ...reporters, ...args], { env })).code === 0,
    failures: () => failuresIn(report),
  }
}

/** @param {string} report as Vitest writes it @returns {string[]} the tests that failed, with the beginning of the reason */
function failuresIn(report) {
  if (!existsSync(report)) return ['the run ended before it could report']
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  return testResults.flatMap((/** @type {any} */ file) => {
    const failed = file.assertionResults.filter((/** @type {any} */ test) => test.status === 'failed')
    const lines = failed.map((/** @type {any} */ test) => [test.fullName, test.failureMessages[0] ?? ''])
    if (lines.length === 0 && file.status === 'failed') lines.push(['the whole file', file.message])
    return lines.map((/** @type {string[]} */ [name, reason]) =>
      `${path.relative(root, file.name)}: ${name}: ${reason?.split('\n')[0]}`.slice(0, 300),
    )
  })
}

await main(async () => {
  stopOnSignals()
  checkMachine()
  await install()
  await requirePrograms(PROGRAMS, 'The test run')
  return runSteps([
    ...checks.map((check) => ({ name: check.name, passes: () => passes(check) })),
    vitest('unit and API tests', '--project', 'server', '--project', 'web', '--project', 'rest'),
    { name: 'the pages build', passes: () => buildPages().then(() => true) },
    vitest('acceptance with browsers', '--config', 'acceptance/vitest.config.ts', '--exclude', 'rest/**'),
  ])
})
