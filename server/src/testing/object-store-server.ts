import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { freePort } from './free-port.ts'

const BUCKET = 'recordings-of-tests'
const PROGRAM = join(fileURLToPath(import.meta.resolve('s3rver')), '../../bin/s3rver.js')

/** A server with the interface of S3, as a process of its own that can be killed and started again. */
export class ObjectStoreServer {
  readonly port: number
  /** Absolute path of the folder with its objects. */
  readonly folder: string
  #process: ChildProcess | null = null

  static async start(): Promise<ObjectStoreServer> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-s3-'))
    const server = new ObjectStoreServer(await freePort(), folder)
    await server.run()
    return server
  }

  private constructor(port: number, folder: string) {
    this.port = port
    this.folder = folder
  }

  /** The options by which a server of ours uses it. */
  get env(): Record<string, string> {
    return {
      PARLEY_S3_ENDPOINT: `http://127.0.0.1:${this.port}`,
      PARLEY_S3_BUCKET: BUCKET,
      PARLEY_S3_PREFIX: 'parley/',
      PARLEY_S3_ACCESS_KEY: 'S3RVER',
      PARLEY_S3_SECRET_KEY: 'S3RVER',
    }
  }

  /** Starts it, with the objects that it has. */
  async run(): Promise<void> {
    const args = ['--directory', this.folder, '--address', '127.0.0.1', '--port', String(this.port)]
    const child = spawn(process.execPath, [PROGRAM, ...args, '--silent', '--configure-bucket', BUCKET], {
      stdio: 'ignore',
    })
    this.#process = child
    await vi.waitFor(() => fetch(`http://127.0.0.1:${this.port}/`), { timeout: 20_000 })
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
