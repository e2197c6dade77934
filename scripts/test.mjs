/** `npm test`: runs every test in one run, from unit tests to browsers. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { checkSteps } from './checks.mjs'
import { measure, rowOf, table, verdict } from './measurements.mjs'
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

/** Programs that the tests control, measure with or store data in: program name to Debian package. */
const PROGRAMS = {
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
  'firefox-esr': 'firefox-esr',
  ffmpeg: 'ffmpeg',
  ffprobe: 'ffmpeg',
  python3: 'python3',
  'espeak-ng': 'espeak-ng',
  ip: 'iproute2',
  postgres: 'postgresql',
  // The package has several programs. Only this one is on the path.
  pg_createcluster: 'postgresql',
  certutil: 'libnss3-tools',
  pebble: 'pebble',
  'nats-server': 'nats-server',
  turnserver: 'coturn',
  iptables: 'iptables',
  promtool: 'prometheus',
  openssl: 'openssl',
  haproxy: 'haproxy',
}

/** The tests start servers and commands many times. The cache saves compiling them each time. */
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
    defects: () => secondTriesIn(report),
  }
}

/**
 * @typedef {object} TestResult
 * @property {string} fullName
 * @property {string} status
 * @property {string[]} failureMessages of every try, even if the test passed at its second try
 * @property {{ stolenPercent?: number[] }} meta for each try, how much processor time the machine's host took away
 */

/** @typedef {{ name: string, status: string, message: string, assertionResults: TestResult[] }} FileResult */

/**
 * @param {string} report as Vitest writes it @returns {FileResult[] | null} null if the run ended before it wrote a
 * report
 */
function resultsIn(report) {
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : null
}

/** @param {FileResult} file @param {string} test @param {string | undefined} reason only the first line is shown */
function line(file, test, reason = '') {
  return `${path.relative(root, file.name)}: ${test}: ${reason.split('\n')[0]}`.slice(0, 300)
}

/** @param {string} report @returns {string[]} the tests that failed, with the first line of the reason */
function failuresIn(report) {
  const results = resultsIn(report)
  if (!results) return ['the run ended before it could report']
  return results.flatMap((file) => {
    const failed = file.assertionResults.filter(({ status }) => status === 'failed')
    if (failed.length === 0 && file.status === 'failed') return [line(file, 'the whole file', file.message)]
    return failed.map(({ fullName, failureMessages }) => line(file, fullName, failureMessages[0]))
  })
}

/**
 * @param {string} report @returns {string[]} the tests that passed only at their second try, with the failure of the
 * first
 */
function secondTriesIn(report) {
  return (resultsIn(report) ?? []).flatMap((file) => {
    const shaky = file.assertionResults.filter(
      ({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0,
    )
    return shaky.map(({ fullName, failureMessages, meta }) => {
      const stolen = (meta.stolenPercent ?? []).filter((percent) => percent > 0).join(', ')
      const host = stolen === '' ? '' : `(the host took ${stolen} % of the processor time away) `
      return line(file, fullName, `${host}${failureMessages[0]}`)
    })
  })
}

/** @returns {import('./steps.mjs').Step} the guard of the main ratios: see bench/guard */
function guardOfRatios() {
  /** @type {import('./measurements.mjs').Measurement[]} */
  let measurements = []
  return {
    name: 'nothing has become twice as dear',
    passes: async () => {
      const result = await measure(path.join(root, 'bench', 'guard', 'main.ts'))
      measurements = result.measurements
      table([['measured', 'value', 'bound', ''], ...measurements.map(rowOf)])
      return result.code === 0 && measurements.every((measurement) => verdict(measurement) !== 'FAIL')
    },
    failures: () =>
      measurements
        .filter((measurement) => verdict(measurement) === 'FAIL')
        .map((measurement) => rowOf(measurement).join(': ')),
  }
}

await main(async () => {
  stopOnSignals()
  checkMachine()
  await install()
  await requirePrograms(PROGRAMS, 'The test run')
  return runSteps([
    checkSteps,
    vitest('unit and API tests', '--project', 'server', '--project', 'web', '--project', 'rest'),
    { name: 'the pages build', passes: () => buildPages().then(() => true) },
    guardOfRatios(),
    vitest(
      'acceptance with browsers',
      ...['--config', 'acceptance/vitest.config.ts'],
      ...['browsers', 'browsers-together', 'fuzz', 'cluster-smoke'].flatMap((project) => [
        '--project',
        project,
      ]),
    ),
  ])
})
