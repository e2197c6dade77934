/** Runs the server, starts it again when it dies, and stops it when told to. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { startArguments, startEnvironment } from '../server/start-command.mjs'
import { innerEnvironment, pinnedNode, progress, root } from './workspace.mjs'

/**
 * Ctrl-C reaches this process twice: from the terminal, and again from npm, which passes it on. Two signals within this
 * time count as one.
 */
const SAME_WISH_MS = 1000

/** If a server dies repeatedly, it is restarted ever more slowly: the pause doubles with each death. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 60_000
/** After a run of this length, the next death counts as the first one again. */
const HEALTHY_RUN_MS = 60_000

/**
 * @typedef {{ code: number, wasRunning: boolean, ranMs: number, diedOf: string }} Run how one run of the server ended
 */

/**
 * Runs the server until it is told to stop or ends by itself without a fault. A server that has been ready once is
 * started again when it dies. A server that never became ready is not: somebody has to fix the cause first.
 * @returns {Promise<number>} the exit code
 */
export async function superviseServer() {
  const wish = listenForStop()
  let pauseMs = FIRST_PAUSE_MS
  let hasRun = false
  for (;;) {
    const { code, wasRunning, ranMs, diedOf } = await runOnce(wish)
    hasRun ||= wasRunning
    if (code === 0 || wish.told || !hasRun) {
      if (code === 0) progress('Stopped.')
      return code
    }
    if (wasRunning && ranMs > HEALTHY_RUN_MS) pauseMs = FIRST_PAUSE_MS
    progress(`The server ended (${diedOf}). Starting it again in ${pauseMs / 1000} s …`)
    await Promise.race([sleep(pauseMs), wish.promise])
    if (wish.told) return code
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }
}

/**
 * @typedef {object} Wish to stop
 * @property {boolean} told
 * @property {Promise<void>} promise settles when told
 * @property {import('node:child_process').ChildProcess | null} server to be told
 */

/** @returns {Wish} */
function listenForStop() {
  /** @type {() => void} */
  let settle = () => {}
  /** @type {Wish} */
  const wish = { told: false, promise: new Promise((resolve) => (settle = resolve)), server: null }
  let toldAtMs = 0
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => {
    const nowMs = performance.now()
    if (wish.told && nowMs - toldAtMs < SAME_WISH_MS) return
    const again = wish.told
    toldAtMs = nowMs
    wish.told = true
    settle()
    const { server } = wish
    if (!server?.pid) return
    if (again) {
      progress('Stopping at once. Recordings are completed at the next start.')
      process.kill(-server.pid, 'SIGKILL')
      return
    }
    progress('Ending sessions and finishing recordings (once more to stop at once) …')
    server.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
  }
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.removeAllListeners(signal)
    process.on(signal, stop)
  }
  return wish
}

/**
 * Runs the server in its own process group, so that Ctrl-C in the terminal does not reach its media workers in the
 * middle of a recording. Only the server is told to stop, once, and it ends the workers in order. An IPC channel
 * connects the two processes. It tells the server when this process is gone, for whatever reason. It tells this process
 * that the server has started.
 * @param {Wish} wish
 * @returns {Promise<Run>}
 */
function runOnce(wish) {
  const startedAtMs = performance.now()
  const server = spawn(pinnedNode, startArguments, {
    cwd: root,
    env: startEnvironment(innerEnvironment()),
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
  })
  wish.server = server
  let wasRunning = false
  server.on('message', (message) => {
    if (message === 'running') wasRunning = true
  })
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.on('exit', (exitCode, signal) => {
      wish.server = null
      const code = exitCode ?? 128 + constants.signals[signal ?? 'SIGKILL']
      const diedOf = signal ? `killed by ${signal}` : `exit code ${exitCode}`
      resolve({ code, wasRunning, ranMs: performance.now() - startedAtMs, diedOf })
    })
  })
}
