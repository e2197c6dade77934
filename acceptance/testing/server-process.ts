import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { PortRange } from '../../server/src/config/media-options.ts'
import { freeUdpPorts } from '../../server/src/testing/free-udp-ports.ts'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { startArguments, startEnvironment } from '../../server/start-command.mjs'
import { descendants, gone, isRunning, killProcesses, type ProcessEntry } from './processes.ts'
import type { Access } from './rest.ts'

/** The repository's folder. */
export const ROOT = path.resolve(import.meta.dirname, '../..')

/** Folder for the screenshots and logs of a test run. */
export const RESULTS_DIR = path.join(ROOT, 'test-results')

const PROJECT_ID = '6f1f2c9e-5a60-4c8e-9d0e-2b6a54a9a001'
const API_TOKEN = 'acceptance-api-token-0123456789'
const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 20_000
const RTC_PORTS_PER_SERVER = 20

/** A TCP port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

/** Reads the certificate of the authority that the server creates for itself. */
function readAuthority(dataDir: string): Promise<string | undefined> {
  return readFile(path.join(dataDir, 'tls/ca.pem'), 'utf8').catch(() => undefined)
}

/** What of a server is not the usual. */
interface ProgramOptions {
  /** The Node that it runs on; by default that of the tests. */
  node?: string | undefined
  /** The folder of the repository; by default this one. */
  program?: string | undefined
  /** The beginning of a command that runs in another network, and the address of the server there; by default it runs in that of the tests. */
  network?: { entrance: readonly string[]; host: string } | undefined
}

/** The server as an operator starts it: one command, its environment variables and a data folder. */
export class ServerProcess {
  readonly dataDir: string
  readonly access: Access
  /** A repository's folder. With that of another version, the next {@link launch} is an upgrade. */
  program: string
  readonly #name: string
  readonly #env: Record<string, string>
  readonly #node: string
  readonly #network: ProgramOptions['network']
  readonly #logFile: WriteStream
  readonly #log: string[] = []
  #child: ChildProcess | null = null
  #isFolderOurs = true

  private constructor(
    name: string,
    dataDir: string,
    port: number,
    rtcPorts: PortRange,
    env: Record<string, string>,
    { node = process.execPath, program = ROOT, network }: ProgramOptions,
  ) {
    this.#name = name
    this.#node = node
    this.#network = network
    this.program = program
    this.dataDir = dataDir
    mkdirSync(RESULTS_DIR, { recursive: true })
    this.#logFile = createWriteStream(path.join(RESULTS_DIR, `${name}.server.log`))
    this.#env = {
      PARLEY_PORT: String(port),
      PARLEY_HTTP_PORT: 'off',
      // The browsers of a test are on the same machine, and many.
      PARLEY_OVERLOAD_STEP: 'none',
      PARLEY_DATA_DIR: dataDir,
      PARLEY_PROJECT_ID: PROJECT_ID,
      PARLEY_API_TOKEN: API_TOKEN,
      PARLEY_RTC_PORTS: `${rtcPorts.first}-${rtcPorts.last}`,
      // The suites pass with either transport.
      PARLEY_RTC_TRANSPORT: process.env.PARLEY_RTC_TRANSPORT ?? '',
      ...env,
    }
    const baseUrl = env.PARLEY_PUBLIC_URL ?? `https://localhost:${port}`
    this.access = { baseUrl, projectId: PROJECT_ID, apiToken: API_TOKEN, ca: undefined }
  }

  /**
   * Starts a server on an empty data folder.
   * @param name for its log file
   * @param env options that differ from the defaults
   * @param folder an empty folder for its data; created if absent
   * @returns once `/readyz` answers 200
   */
  static async start(
    name: string,
    env: Record<string, string> = {},
    folder?: string,
    program: ProgramOptions = {},
  ): Promise<ServerProcess> {
    const dataDir = folder ?? (await mkdtemp(path.join(tmpdir(), 'parley-acceptance-')))
    const port = Number(env.PARLEY_PORT ?? (await freePort()))
    const server = new ServerProcess(
      name,
      dataDir,
      port,
      await freeUdpPorts(RTC_PORTS_PER_SERVER),
      env,
      program,
    )
    server.#isFolderOurs = folder === undefined
    try {
      await server.launch()
    } catch (error) {
      await server.remove()
      throw error
    }
    return server
  }

  /** Options that tell a program where this server keeps its data. */
  get storageEnv(): Record<string, string> {
    const { PARLEY_DATABASE_URL } = this.#env
    return { PARLEY_DATA_DIR: this.dataDir, ...(PARLEY_DATABASE_URL && { PARLEY_DATABASE_URL }) }
  }

  /** The operating system's id of the running server. */
  get pid(): number {
    const pid = this.#child?.pid
    if (pid === undefined) throw new Error('the server does not run')
    return pid
  }

  /** Starts it (again) on the same data folder and port. Resolves once it is ready. */
  async launch(): Promise<void> {
    const inherited = Object.fromEntries(
      Object.entries(process.env).filter(([key]) => !key.startsWith('PARLEY_') && !key.startsWith('VITEST')),
    )
    const [program = '', ...args] = [...(this.#network?.entrance ?? []), this.#node, ...startArguments]
    const child = spawn(program, args, {
      cwd: this.program,
      env: startEnvironment({ ...inherited, NODE_ENV: 'production', ...this.#env }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => this.#keep(text))
    }
    await this.#untilReady(child)
  }

  #keep(text: string): void {
    this.#logFile.write(text)
    this.#log.push(...text.split('\n').filter((line) => line !== ''))
    if (this.#log.length > 5000) this.#log.splice(0, this.#log.length - 4000)
  }

  /** The last lines of its log. */
  logTail(lines = 40): string {
    return this.#log.slice(-lines).join('\n')
  }

  /** All log lines that are still kept (at least the last 4,000). */
  logLines(): readonly string[] {
    return this.#log
  }

  async #untilReady(child: ChildProcess): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS
    while (performance.now() < deadline) {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}:\n${this.logTail()}`)
      }
      this.access.ca = await readAuthority(this.dataDir)
      if (this.access.ca !== undefined && (await this.readyStatus()) === 200) return
      await timePasses(50, 'the server starts')
    }
    throw new Error(`not ready, as /readyz has it, within ${START_TIMEOUT_MS} ms:\n${this.logTail()}`)
  }

  /** Status of `/readyz` on a separate connection, or 0 if nothing answers within 2 s. */
  async readyStatus(): Promise<number> {
    const agent = new Agent({ connect: { ca: this.access.ca ?? '' }, headersTimeout: 2000 })
    try {
      const local = new URL(this.access.baseUrl)
      local.port = this.#env.PARLEY_PORT ?? ''
      if (this.#network) local.hostname = this.#network.host
      const answer = await request(new URL('/readyz', local), { dispatcher: agent })
      await answer.body.dump()
      return answer.statusCode
    } catch {
      return 0
    } finally {
      await agent.destroy()
    }
  }

  /** Its media worker processes. */
  async mediaWorkers(): Promise<ProcessEntry[]> {
    return (await descendants(this.pid)).filter(({ command }) => command.includes('media-worker'))
  }

  /** Process ids of the server and all its children. The server's own id is first. */
  async allPids(): Promise<number[]> {
    return [this.pid, ...(await descendants(this.pid)).map(({ pid }) => pid)]
  }

  /** Sends SIGKILL to the server and all its children at once, like a power cut. */
  async killEverything(): Promise<void> {
    const pids = await this.allPids()
    killProcesses(pids)
    await gone(pids)
  }

  /** Sends SIGKILL to the server process alone. Its children have to notice. */
  async killMainProcess(): Promise<void> {
    const pid = this.pid
    killProcesses([pid])
    await gone([pid])
  }

  /**
   * Waits until it has ended by itself, or because somebody else told it to. It can be launched again then.
   * @returns its exit code
   */
  async ended(timeoutMs = 60_000): Promise<number | null> {
    const child = this.#child
    if (child?.pid === undefined) throw new Error('the server does not run')
    const pids = await this.allPids()
    await gone(pids, timeoutMs)
    return child.exitCode
  }

  /**
   * Ends it as Ctrl-C does.
   * @returns its exit code
   * @throws if it does not end in time; it is killed then
   */
  async stop(): Promise<number | null> {
    const child = this.#child
    if (child?.pid === undefined) return null
    const pids = await this.allPids()
    if (child.exitCode === null && child.signalCode === null) {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGINT')
      await Promise.race([exited, delay(STOP_TIMEOUT_MS, undefined, { ref: false })])
    }
    const left = (await Promise.all(pids.map(async (pid) => ((await isRunning(pid)) ? pid : 0)))).filter(
      Boolean,
    )
    killProcesses(left)
    this.#child = null
    if (left.length > 0 && left.includes(child.pid)) {
      throw new Error(
        `${this.#name}: the server did not end within ${STOP_TIMEOUT_MS} ms:\n${this.logTail()}`,
      )
    }
    return child.exitCode
  }

  /** Deletes the data folder, unless somebody else owns it. The process must have ended. */
  async remove(): Promise<void> {
    if (this.#child !== null) {
      killProcesses(await this.allPids())
      this.#child = null
    }
    this.#logFile.end()
    if (this.#isFolderOurs) await rm(this.dataDir, { recursive: true, force: true })
  }
}
