import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { timePasses } from './time-passes.ts'

/** Debian's TURN server. */
export interface Coturn {
  readonly secret: string
  /** Of UDP and TCP. */
  readonly port: number
  readonly tlsPort: number
  /** What it has logged. */
  log(): string
  stop(): Promise<void>
}

export interface CoturnOptions {
  /** Where it listens and relays. */
  address?: string
  /** PEM files for TLS. */
  certificate?: { cert: string; key: string }
  tlsPort?: number
  /** Serves everybody, without credentials. */
  open?: boolean
  /** Further arguments. */
  more?: readonly string[]
}

const SECRET = 'coturn-secret-0123456789'

/** Starts a TURN server with a shared secret. Waits until it listens. @throws Error, with its log, when it ends */
export async function startCoturn(options: CoturnOptions = {}): Promise<Coturn> {
  const { address = '127.0.0.1', certificate, open = false, more = [] } = options
  const folder = mkdtempSync(join(tmpdir(), 'parley-coturn-'))
  const port = await freePort()
  const tlsPort = options.tlsPort ?? (await freePort())
  const tls = certificate
    ? [`--tls-listening-port=${tlsPort}`, `--cert=${certificate.cert}`, `--pkey=${certificate.key}`]
    : ['--no-tls']
  const child = spawn(
    'turnserver',
    [
      ...['-n', '--log-file=stdout', '--no-cli', '--no-dtls', '--realm=parley.test'],
      ...(open ? ['--no-auth'] : ['--use-auth-secret', `--static-auth-secret=${SECRET}`]),
      ...[`--listening-port=${port}`],
      ...[`--listening-ip=${address}`, `--relay-ip=${address}`, '--allow-loopback-peers'],
      ...[`--pidfile=${join(folder, 'pid')}`, `--userdb=${join(folder, 'db')}`, ...tls, ...more],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (log += text))
  const stop = async () => {
    await ended(child)
    rmSync(folder, { recursive: true, force: true })
  }
  while (!(await listens(address, certificate ? tlsPort : port))) {
    if (child.exitCode !== null) {
      await stop()
      throw new Error(`turnserver (Debian: coturn) ended:\n${log}`)
    }
    await timePasses(20, 'the TURN server starts')
  }
  return { secret: SECRET, port, tlsPort, log: () => log, stop }
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port })
    const settle = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
  })
}
