import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WORKER = fileURLToPath(new URL('../media-worker/main.ts', import.meta.url))
/** Longer than a worker may take to save its recordings. */
const ORPHAN_GRACE_SECONDS = 20

/**
 * Each line of the input is the whole list of workers. The input ends when the server ends; then workers have some seconds
 * to exit. A process id may belong to another program by then, so the script checks its command line first.
 */
const SCRIPT = `
trap '' INT TERM HUP
workers=
while read -r line; do workers=$line; done
while :; do
  left=
  for pid in $workers; do
    if tr '\\0' '\\n' <"/proc/$pid/cmdline" | grep -qxF "$WORKER"; then left="$left $pid"; fi
  done 2>/dev/null
  [ -n "$left" ] || exit 0
  [ "$GRACE" -gt 0 ] || break
  GRACE=$((GRACE - 1))
  sleep 1
done
kill -KILL $left
`

/**
 * Ends media workers that outlive this process. A worker exits by itself when it sees that its server is gone, but one that
 * hangs in native code does not see it. So a separate shell waits for the end of this process, at the end of a pipe.
 */
export class OrphanGuard {
  readonly #shell: ChildProcess
  #workers = new Set<number>()

  /** @param graceSeconds time that workers have to save their recordings, in whole seconds */
  constructor(graceSeconds = ORPHAN_GRACE_SECONDS) {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env.PATH, WORKER, GRACE: String(graceSeconds) },
      // Ctrl-C in a terminal goes to a whole group of processes, and this one goes last.
      detached: true,
    })
    // Without this shell, workers still exit by themselves, unless they hang.
    this.#shell.on('error', () => {})
    this.#shell.stdin?.on('error', () => {})
    this.#shell.unref()
  }

  /** Adds a worker process of this server. */
  add(pid: number): void {
    this.#workers.add(pid)
    this.#tell()
  }

  /** The process has ended. */
  remove(pid: number): void {
    this.#workers.delete(pid)
    this.#tell()
  }

  /** Ends the shell. All workers have ended. */
  stop(): void {
    this.#shell.stdin?.end()
  }

  #tell(): void {
    if (this.#shell.stdin?.writable) this.#shell.stdin.write(`${[...this.#workers].join(' ')}\n`)
  }
}
