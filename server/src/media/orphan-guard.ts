import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WORKER = fileURLToPath(new URL('../media-worker/main.ts', import.meta.url))
/** Longer than a worker may take to save its recordings. */
const ORPHAN_GRACE_SECONDS = 20

/**
 * Each line that comes in is the whole list of workers. The input ends with the server; from then on they have some
 * seconds. A number of the list may belong to another program by then, so that what it runs is looked at first.
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
 * Ends media workers that outlive this process. A worker ends by itself when it sees that its server is gone; one that
 * hangs in native code does not see it. So a shell of its own waits for the end of this process, by a pipe.
 */
export class OrphanGuard {
  readonly #shell: ChildProcess
  #workers = new Set<number>()

  /** @param graceSeconds what workers have to save their recordings, whole seconds */
  constructor(graceSeconds = ORPHAN_GRACE_SECONDS) {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env.PATH, WORKER, GRACE: String(graceSeconds) },
      // Ctrl-C in a terminal goes to a whole group of processes, and this one goes last.
      detached: true,
    })
    // Without a shell, or once somebody has ended it, workers end by themselves as nearly all do.
    this.#shell.on('error', () => {})
    this.#shell.stdin?.on('error', () => {})
    this.#shell.unref()
  }

  /** From now on the process is a worker of this server. */
  add(pid: number): void {
    this.#workers.add(pid)
    this.#tell()
  }

  /** The process has ended. */
  remove(pid: number): void {
    this.#workers.delete(pid)
    this.#tell()
  }

  /** All workers have ended: nothing is left to guard. */
  stop(): void {
    this.#shell.stdin?.end()
  }

  #tell(): void {
    if (this.#shell.stdin?.writable) this.#shell.stdin.write(`${[...this.#workers].join(' ')}\n`)
  }
}
