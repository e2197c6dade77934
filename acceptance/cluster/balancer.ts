import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { timePasses } from '../../server/src/testing/time-passes.ts'

const START_MS = 10_000

/**
 * HAProxy before nodes: each new connection goes to the next one that is ready. TLS ends at the nodes. Open connections
 * stay: while the database is away no node is ready, and meetings go on.
 */
export class Balancer {
  readonly #process: ChildProcess
  readonly #folder: string

  private constructor(process: ChildProcess, folder: string) {
    this.#process = process
    this.#folder = folder
  }

  /** @param nodes name and port of each */
  static async start(port: number, nodes: ReadonlyMap<string, number>): Promise<Balancer> {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-balancer-'))
    const file = path.join(folder, 'haproxy.cfg')
    writeFileSync(file, configuration(port, nodes))
    const started = spawn('haproxy', ['-db', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    started.stderr.on('data', (text) => {
      said += text
    })
    started.on('error', (error) => {
      said += error.message
    })
    const giveUpAt = performance.now() + START_MS
    while (!(await listens(port))) {
      if (started.exitCode !== null || performance.now() > giveUpAt) {
        throw new Error(`haproxy does not start (Debian's package haproxy): ${said}`)
      }
      await timePasses(50, 'the balancer starts')
    }
    return new Balancer(started, folder)
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function configuration(port: number, nodes: ReadonlyMap<string, number>): string {
  const servers = [...nodes].map(
    ([name, nodePort]) => `  server ${name} 127.0.0.1:${nodePort} check check-ssl verify none`,
  )
  return `
global
  maxconn 4000
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 1s
  retries 3
  option redispatch 1
frontend all
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /readyz
  default-server inter 500ms fall 2 rise 1
${servers.join('\n')}
`
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
