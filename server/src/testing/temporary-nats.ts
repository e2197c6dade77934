import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { timePasses } from './time-passes.ts'

const START_MS = 20_000

/** A NATS server with JetStream for tests, in a temporary folder, on a free port. */
export interface TemporaryNats {
  url: string
  start(): Promise<void>
  /** Kills it, as at a loss of power. */
  kill(): Promise<void>
  /** Stops it with SIGSTOP: connections stay open without an answer. */
  pause(): void
  resume(): void
  /** Stops it and deletes everything. */
  remove(): Promise<void>
}

/**
 * @param host an address of this machine, at which it listens
 * @throws when `nats-server` is not installed
 */
export async function temporaryNats(host = '127.0.0.1'): Promise<TemporaryNats> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-nats-'))
  const port = await freePort()
  let server: ChildProcess | undefined
  let said = ''

  const nats: TemporaryNats = {
    url: `nats://${host}:${port}`,
    async start() {
      const args = ['-a', host, '-p', String(port), '-js', '-sd', folder]
      const started = spawn('nats-server', args, { stdio: ['ignore', 'ignore', 'pipe'] })
      server = started
      started.stderr.on('data', (text) => {
        said = `${said}${text}`.slice(-4000)
      })
      started.on('error', (error) => {
        said = error.message
      })
      const giveUpAt = performance.now() + START_MS
      while (!(await listens(host, port))) {
        if (started.exitCode !== null || started.pid === undefined || performance.now() > giveUpAt) {
          throw new Error(`nats-server does not start (Debian's package nats-server): ${said}`)
        }
        await timePasses(20, 'NATS starts')
      }
    },
    async kill() {
      const stopping = server
      server = undefined
      if (!stopping || stopping.exitCode !== null) return
      const exited = once(stopping, 'exit')
      stopping.kill('SIGCONT')
      stopping.kill('SIGKILL')
      await exited
    },
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    async remove() {
      await nats.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await nats.start()
  return nats
}

async function listens(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host)
  try {
    // The server greets whoever connects, once it can serve.
    await once(socket, 'data')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
