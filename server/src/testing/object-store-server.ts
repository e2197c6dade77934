import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

const BUCKET = 'recordings-of-tests'
const PROGRAM = join(fileURLToPath(import.meta.resolve('s3rver')), '../../bin/s3rver.js')

/** Paths of PEM files. */
interface TlsFiles {
  cert: string
  key: string
}

/** A server with the interface of S3, as a process of its own that can be killed and started again. */
export class ObjectStoreServer {
  readonly port: number
  /** Absolute path of the folder with its objects. */
  readonly folder: string
  readonly #tls: TlsFiles | null
  #process: ChildProcess | null = null

  static async start(): Promise<ObjectStoreServer> {
    const server = new ObjectStoreServer(await freePort(), await mkdtemp(join(tmpdir(), 'parley-s3-')), null)
    await server.run()
    return server
  }

  /** Starts one that speaks HTTPS, with a certificate for 127.0.0.1 that it signed itself. */
  static async startWithTls(): Promise<ObjectStoreServer> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-s3-'))
    const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', files.key]
    const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    await run('openssl', ['req', '-x509', '-days', '2', ...key, ...name, '-out', files.cert])
    const server = new ObjectStoreServer(await freePort(), folder, files)
    await server.run()
    return server
  }

  private constructor(port: number, folder: string, tls: TlsFiles | null) {
    this.#tls = tls
    this.port = port
    this.folder = folder
  }

  /** Where it is reached. */
  get origin(): string {
    return `${this.#tls ? 'https' : 'http'}://127.0.0.1:${this.port}`
  }

  /** The options by which a server of ours uses it. */
  get env(): Record<string, string> {
    return {
      PARLEY_S3_ENDPOINT: this.origin,
      ...(this.#tls && { PARLEY_S3_CA: this.#tls.cert }),
      PARLEY_S3_BUCKET: BUCKET,
      PARLEY_S3_PREFIX: 'parley/',
      PARLEY_S3_ACCESS_KEY: 'S3RVER',
      PARLEY_S3_SECRET_KEY: 'S3RVER',
    }
  }

  /** Starts it, with the objects that it has. */
  async run(): Promise<void> {
    const args = ['--directory', this.folder, '--address', '127.0.0.1', '--port', String(this.port)]
    if (this.#tls) args.push('--cert', this.#tls.cert, '--key', this.#tls.key)
    const child = spawn(process.execPath, [PROGRAM, ...args, '--silent', '--configure-bucket', BUCKET], {
      stdio: 'ignore',
    })
    this.#process = child
    await vi.waitFor(() => this.#isListening(), { timeout: 20_000 })
  }

  async #isListening(): Promise<void> {
    const socket = connect(this.port, '127.0.0.1')
    try {
      await once(socket, 'connect')
    } finally {
      socket.destroy()
    }
  }

  /** Kills it at once. Its objects stay. */
  async kill(): Promise<void> {
    const child = this.#process
    this.#process = null
    if (!child || child.exitCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  async stop(): Promise<void> {
    await this.kill()
    await rm(this.folder, { recursive: true, force: true })
  }
}
