/** `npm start`: installs and builds what is missing, then runs the server until it is told to stop. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import {
  buildPages,
  checkMachine,
  innerEnvironment,
  install,
  main,
  pinnedNode,
  progress,
  root,
  stopOnSignals,
} from './workspace.mjs'

/**
 * Ctrl-C reaches this process twice: from the terminal, and once more from npm, which passes it on. Both together are
 * one wish.
 */
const SAME_WISH_MS = 1000

/**
 * Runs the server in a process group of its own, so that a Ctrl-C in the terminal does not hit its media workers in the
 * middle of a recording: the server alone is told to stop, once, and ends them in order.
 * @returns {Promise<number>} the exit code
 */
function serve() {
  const server = spawn(pinnedNode, ['server/src/main.ts'], {
    cwd: root,
    env: innerEnvironment(),
    stdio: 'inherit',
    detached: true,
  })
  let toldAtMs = Number.NEGATIVE_INFINITY
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => {
    const nowMs = performance.now()
    if (nowMs - toldAtMs < SAME_WISH_MS) return
    const again = toldAtMs > 0
    toldAtMs = nowMs
    if (again) {
      progress('Stopping at once. Recordings are completed at the next start.')
      if (server.pid) process.kill(-server.pid, 'SIGKILL')
      return
    }
    progress('Ending sessions and finishing recordings (once more to stop at once) …')
    server.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
  }
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.removeAllListeners(signal)
    process.on(signal, stop)
  }
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.on('exit', (code, signal) => {
      if (code === 0) progress('Stopped.')
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL'])
    })
  })
}

await main(async () => {
  stopOnSignals()
  checkMachine()
  await install()
  await buildPages()
  progress('Starting the server …')
  return serve()
})
