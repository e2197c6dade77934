import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Agent, type Dispatcher, request } from 'undici'
import { readConfig } from '../config.ts'
import { type RunningServer, type ServerParts, startServer } from '../server.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { freeUdpPorts } from './free-udp-ports.ts'

/** An answer of the server, with its body read. */
export interface TestAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** The body as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  json: any
}

export interface TestRequest {
  method?: Dispatcher.HttpMethod
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, in place of `body`. */
  rawBody?: string | Buffer
  headers?: Record<string, string>
  /** `null` sends no credentials. */
  credentials?: { user: string; password: string } | null
}

/** A real server with its own port and data folder, and a client that trusts its certificate authority. */
export interface TestServer {
  running: RunningServer
  dataDir: string
  origin: string
  projectId: string
  apiToken: string
  ca: Buffer
  /** The server's own database, for rows that the API cannot create. */
  storage: Storage
  /** @param path without the origin; a path without a leading slash is below `/api/video/` */
  call(path: string, options?: TestRequest): Promise<TestAnswer>
  stop(): Promise<void>
}

const PROJECT_ID = '11111111-2222-4333-8444-555555555555'
const API_TOKEN = 'token-of-the-tests'

/** A server keeps fewer connections of one address before they sign in. A thousand requests at once share these. */
const MOST_CONNECTIONS = 100

/**
 * @param env options that differ from the defaults
 * @param parts such as another folder of pages
 */
export async function startTestServer(
  env: Record<string, string> = {},
  parts: Pick<ServerParts, 'webFolder'> = {},
): Promise<TestServer> {
  const dataDir = env.PARLEY_DATA_DIR ?? mkdtempSync(join(tmpdir(), 'parley-server-'))
  const ports = await freeUdpPorts(4)
  const options = {
    PARLEY_HOST: '127.0.0.1',
    PARLEY_PORT: '0',
    PARLEY_DATA_DIR: dataDir,
    PARLEY_MEDIA_WORKERS: '1',
    PARLEY_RTC_PORTS: `${ports.first}-${ports.last}`,
    PARLEY_PROJECT_ID: PROJECT_ID,
    PARLEY_API_TOKEN: API_TOKEN,
    ...env,
  }
  const config = readConfig(options)
  const checkedUp = { env: { ...process.env, ...options } }
  const running = await startServer(config, { log: pino({ level: 'silent' }), ...checkedUp, ...parts })
  const ca = readFileSync(join(dataDir, 'tls', 'ca.pem'))
  const storage = await openStorage(join(dataDir, 'parley.db'))
  const agent = new Agent({ connect: { ca }, connections: MOST_CONNECTIONS })
  const origin = `https://127.0.0.1:${running.address.port}`
  return {
    running,
    dataDir,
    origin,
    projectId: PROJECT_ID,
    apiToken: API_TOKEN,
    ca,
    storage,
    call: (path, options) => call(agent, new URL(path, `${origin}/api/video/`), options),
    async stop() {
      await agent.close()
      await storage.close()
      await running.stop()
      if (!env.PARLEY_DATA_DIR) rmSync(dataDir, { recursive: true })
    },
  }
}

async function call(agent: Agent, url: URL, options: TestRequest = {}): Promise<TestAnswer> {
  const { method = 'GET', body, rawBody, headers = {} } = options
  const { credentials = { user: PROJECT_ID, password: API_TOKEN } } = options
  const isJson = body !== undefined || rawBody !== undefined
  const answer = await request(url, {
    dispatcher: agent,
    method,
    headers: {
      ...(isJson && { 'content-type': 'application/json' }),
      ...(credentials && { authorization: basic(credentials.user, credentials.password) }),
      ...headers,
    },
    body: rawBody ?? (body === undefined ? null : JSON.stringify(body)),
  })
  const text = await answer.body.text()
  return { status: answer.statusCode, headers: answer.headers, text, json: parse(text) }
}

/** The value of an `Authorization` header. */
export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
