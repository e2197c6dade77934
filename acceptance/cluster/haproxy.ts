import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { timePasses } from '../../server/src/testing/time-passes.ts'

const START_MS = 10_000

/** What every configuration begins with. Open connections stay. */
const BEGINNING = `
global
  maxconn 4000
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 1s
`

/** HAProxy with a configuration of a test. */
export class Haproxy {
  readonly #process: ChildProcess
  readonly #folder: string

  private constructor(process: ChildProcess, folder: string) {
    this.#process = process
    this.#folder = folder
  }

  /**
   * Starts it.
   * @param configuration its own part: more defaults, frontends and backends
   * @param address an address and a port at which it listens then
   */
  static async start(configuration: string, address: { host: string; port: number }): Promise<Haproxy> {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-haproxy-'))
    const file = path.join(folder, 'haproxy.cfg')
    writeFileSync(file, BEGINNING + configuration)
    const started = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    started.stderr.on('data', (text) => {
      said += text
    })
    started.on('error', (error) => {
      said += error.message
    })
    const giveUpAt = performance.now() + START_MS
    while (!(await listens(address))) {
      if (started.exitCode !== null || performance.now() > giveUpAt) {
        throw new Error(`haproxy does not start (Debian's package haproxy): ${said}`)
      }
      await timePasses(50, 'haproxy starts')
    }
    return new Haproxy(started, folder)
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function listens({ host, port }: { host: string; port: number }): Promise<boolean> {
  const socket = connect(port, host)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
