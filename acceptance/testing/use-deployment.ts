import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type BrowserOptions, launchBrowser } from './browser.ts'
import { PARTICIPANTS, type Persona } from './colours.ts'
import { Participant, type ParticipantOptions } from './participant.ts'
import { type Access, Rest } from './rest.ts'
import { ServerProcess } from './server-process.ts'
import type { SuiteCluster } from './suite-cluster.ts'

/** Options for a suite's deployment. */
export interface DeploymentOptions {
  /** Name of the suite. Log files and screenshots are named after it. */
  name: string
  /** Options that differ from the server's defaults. Ignored for a deployment elsewhere. */
  env?: Record<string, string>
  /** An empty folder for the server's data; created if absent. */
  dataDir?: string
  /** When the participants' pages are closed: after each test, or at the end of the file. */
  participantsLive?: 'for one test' | 'for all tests'
}

/** A running deployment, and browsers that enter it. It is filled in before the first test. */
export interface Deployment {
  readonly access: Access
  readonly rest: Rest
  /** The server's process. @throws if the deployment is elsewhere */
  readonly server: ServerProcess
  /** The values of a metric, of all servers. */
  metric(name: string): Promise<number[]>
  /** Kills all servers with their children at once, and starts them again. @throws if the deployment is elsewhere */
  killAndLaunch(): Promise<void>
  /** A room name that no other test uses. */
  roomName(): string
  /** Opens a page in the persona's browser. Starts the browser first if necessary. */
  open(persona: Persona, options?: ParticipantOptions & BrowserOptions): Promise<Participant>
  /** Opens a page, and joins with a room token that has these settings. */
  enter(
    persona: Persona,
    token: { room_name: string } & Record<string, unknown>,
    options?: ParticipantOptions & BrowserOptions,
  ): Promise<Participant>
  /** The browser of a persona that has entered. */
  browserOf(persona: Persona): Browser
}

function elsewhere(): Access | null {
  const { PARLEY_BASE_URL, PARLEY_PROJECT_ID, PARLEY_API_TOKEN, PARLEY_CA_FILE } = process.env
  if (PARLEY_BASE_URL === undefined) return null
  if (PARLEY_PROJECT_ID === undefined || PARLEY_API_TOKEN === undefined) {
    throw new Error('PARLEY_BASE_URL needs PARLEY_PROJECT_ID and PARLEY_API_TOKEN beside it')
  }
  return {
    baseUrl: PARLEY_BASE_URL.replace(/\/$/, ''),
    projectId: PARLEY_PROJECT_ID,
    apiToken: PARLEY_API_TOKEN,
    ca: PARLEY_CA_FILE === undefined ? undefined : readFileSync(PARLEY_CA_FILE, 'utf8'),
  }
}

class RunningDeployment implements Deployment {
  readonly #name: string
  readonly #env: Record<string, string>
  readonly #dataDir: string | undefined
  readonly #browsers = new Map<string, Browser>()
  #participants: Participant[] = []
  #server: ServerProcess | null = null
  #cluster: SuiteCluster | null = null
  #rest: Rest | null = null
  #access: Access | null = null

  constructor({ name, env = {}, dataDir }: DeploymentOptions) {
    this.#dataDir = dataDir
    this.#name = name
    this.#env = env
  }

  async start(): Promise<void> {
    this.#access = elsewhere()
    if (this.#access === null && process.env.PARLEY_TEST_CLUSTER !== undefined) {
      const { SuiteCluster } = await import('./suite-cluster.ts')
      this.#cluster = await SuiteCluster.start(this.#name, this.#env)
      this.#access = this.#cluster.access
    }
    if (this.#access === null) {
      this.#server = await ServerProcess.start(this.#name, this.#env, this.#dataDir)
      this.#access = this.#server.access
    }
    this.#rest = new Rest(this.#access)
  }

  async stop(): Promise<void> {
    await this.closeParticipants()
    await Promise.all([...this.#browsers.values()].map((browser) => browser.close().catch(() => {})))
    await this.#rest?.close()
    await this.#cluster?.stop()
    try {
      await this.#server?.stop()
    } finally {
      await this.#server?.remove()
    }
  }

  get access(): Access {
    if (this.#access === null) throw new Error('the deployment has not started')
    return this.#access
  }

  get rest(): Rest {
    if (this.#rest === null) throw new Error('the deployment has not started')
    return this.#rest
  }

  get server(): ServerProcess {
    if (this.#server === null) throw new Error('the server is not a process of this test run')
    return this.#server
  }

  async metric(name: string): Promise<number[]> {
    return this.#cluster ? this.#cluster.metric(name) : this.rest.metric(name)
  }

  async killAndLaunch(): Promise<void> {
    if (this.#cluster) return this.#cluster.killAndLaunch()
    await this.server.killEverything()
    await this.server.launch()
  }

  roomName(): string {
    return `${this.#name}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`
  }

  #key(persona: Persona, { namespace, cameraHeight, microphone, withoutDevices }: BrowserOptions): string {
    const devices = withoutDevices
      ? 'none'
      : `${cameraHeight ?? ''}${microphone === 'speech' ? 'speech' : ''}`
    return `${persona.name}-${devices}@${namespace ?? ''}`
  }

  async open(persona: Persona, options: ParticipantOptions & BrowserOptions = {}): Promise<Participant> {
    const key = this.#key(persona, options)
    const running = this.#browsers.get(key)
    const browser = running?.isConnected() ? running : await launchBrowser(persona, options)
    this.#browsers.set(key, browser)
    const participant = await Participant.open(browser, persona.name, options)
    this.#participants.push(participant)
    return participant
  }

  async enter(
    persona: Persona,
    token: { room_name: string } & Record<string, unknown>,
    options: ParticipantOptions & BrowserOptions = {},
  ): Promise<Participant> {
    const [participant, signed] = await Promise.all([
      this.open(persona, options),
      this.rest.createRoomToken({ user_name: persona.name, ...token }),
    ])
    await participant.join(signed)
    return participant
  }

  browserOf(persona: Persona): Browser {
    const browser = this.#browsers.get(this.#key(persona, {}))
    if (browser === undefined) throw new Error(`${persona.name} has not entered`)
    return browser
  }

  async closeParticipants(): Promise<void> {
    const open = this.#participants
    this.#participants = []
    await Promise.all(open.map((participant) => participant.leaveAndClose()))
  }

  async report(testName: string): Promise<void> {
    const seen = await Promise.all(this.#participants.map((participant) => participant.describe(testName)))
    const lines = this.#server?.logTail(60) ?? this.#cluster?.logTail(60)
    const log = lines === undefined ? '' : `--- server log\n${lines}`
    process.stderr.write(`\n=== ${testName}\n${[...seen, log].join('\n')}\n`)
  }
}

/**
 * Gives a test file its own deployment, or the one that `PARLEY_BASE_URL`, `PARLEY_PROJECT_ID`, `PARLEY_API_TOKEN` and
 * `PARLEY_CA_FILE` name. Its own is one server, or with `PARLEY_TEST_CLUSTER` three nodes behind a balancer. If a test fails, it reports what every participant saw.
 */
export function useDeployment(options: DeploymentOptions): Deployment {
  const deployment = new RunningDeployment(options)
  beforeAll(() => deployment.start())
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await deployment.report(task.name)
    if (options.participantsLive !== 'for all tests') await deployment.closeParticipants()
  })
  afterAll(() => deployment.stop())
  return deployment
}

/** The personas, by name. */
export const [RED, GREEN, BLUE, YELLOW, VIOLET] = PARTICIPANTS
