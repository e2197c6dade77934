import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

const ROOM = 1
const PLUGIN = 'janus.plugin.videoroom'
const START_TIMEOUT_MS = 10_000
/** Keepalive of the Janus session, well within the server's 60 s. */
const KEEPALIVE_INTERVAL_MS = 25_000

/** Plugins and transports to leave out: everything except the video room and WebSocket. */
const PLUGINS_NOT_NEEDED = [
  'audiobridge',
  'duktape',
  'echotest',
  'lua',
  'nosip',
  'recordplay',
  'sip',
  'streaming',
  'textroom',
  'videocall',
  'voicemail',
]
const TRANSPORTS_NOT_NEEDED = ['http', 'mqtt', 'nanomsg', 'pfunix', 'rabbitmq']

interface Jsep {
  type: string
  sdp: string
}

interface JanusMessage {
  janus: string
  transaction?: string
  sender?: number
  data?: { id: number }
  error?: { reason: string }
  jsep?: Jsep
  plugindata?: { data: Record<string, unknown> }
}

/** Debian's Janus with one room. It has its own configuration and is controlled over WebSocket. */
export class Janus {
  readonly #process: ChildProcess
  readonly #folder: string
  readonly #socket: WebSocket
  readonly #waiting = new Map<string, (message: JanusMessage) => void>()
  /** Handles whose media is connected. */
  readonly #up = new Set<number>()
  readonly #keepalive: NodeJS.Timeout
  #session = 0
  #transactions = 0

  private constructor(child: ChildProcess, folder: string, socket: WebSocket) {
    this.#process = child
    this.#folder = folder
    this.#socket = socket
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as JanusMessage
      if (message.janus === 'webrtcup' && message.sender) this.#up.add(message.sender)
      // A long operation is acknowledged first. The real answer follows.
      if (message.janus !== 'ack') this.#waiting.get(message.transaction ?? '')?.(message)
    }
    this.#keepalive = setInterval(() => this.#send({ janus: 'keepalive' }), KEEPALIVE_INTERVAL_MS)
  }

  /** @param eventLoops that the connections share; 0 for a thread for each connection */
  static async start(eventLoops: number): Promise<Janus> {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-janus-'))
    const port = await freePort()
    writeConfiguration(folder, port, eventLoops)
    const child = spawn('janus', ['-F', folder], { stdio: ['ignore', 'ignore', 'inherit'] })
    const failed = new Promise<never>((_, reject) => child.once('error', reject))
    const socket = await Promise.race([connect(`ws://127.0.0.1:${port}`), failed])
    const janus = new Janus(child, folder, socket)
    janus.#session = (await janus.#ask({ janus: 'create' })).data!.id
    return janus
  }

  get pid(): number {
    return this.#process.pid!
  }

  /**
   * Resolves once the publisher's media is connected.
   * @param take passes the answer to the publisher
   * @returns the publisher's id
   */
  async publish(offer: string, take: (answer: string) => Promise<void>): Promise<number> {
    const handle = await this.#attach()
    const joined = await this.#message(handle, { request: 'join', ptype: 'publisher', room: ROOM })
    const body = { request: 'publish' }
    const published = await this.#message(handle, body, { type: 'offer', sdp: offer })
    await take(published.jsep!.sdp)
    while (!this.#up.has(handle)) await new Promise((resolve) => setTimeout(resolve, 50))
    return joined.plugindata!.data.id as number
  }

  /** @param answer creates a receiver's answer to the room's offer */
  async subscribe(feed: number, answer: (offer: string) => Promise<string>): Promise<void> {
    const handle = await this.#attach()
    const body = { request: 'join', ptype: 'subscriber', room: ROOM, streams: [{ feed }] }
    const attached = await this.#message(handle, body)
    if (!attached.jsep) throw new Error(`janus offers nothing: ${JSON.stringify(attached)}`)
    const sdp = await answer(attached.jsep.sdp)
    await this.#message(handle, { request: 'start' }, { type: 'answer', sdp })
  }

  async #attach(): Promise<number> {
    return (await this.#ask({ janus: 'attach', plugin: PLUGIN })).data!.id
  }

  #message(handle: number, body: object, jsep?: Jsep): Promise<JanusMessage> {
    return this.#ask({ janus: 'message', handle_id: handle, body, ...(jsep ? { jsep } : {}) })
  }

  #ask(message: object): Promise<JanusMessage> {
    return new Promise((resolve, reject) => {
      const transaction = this.#send(message)
      this.#waiting.set(transaction, (answer) => {
        this.#waiting.delete(transaction)
        if (answer.janus === 'error') reject(new Error(`janus: ${answer.error?.reason}`))
        else if (answer.plugindata?.data.error) reject(new Error(`janus: ${answer.plugindata.data.error}`))
        else resolve(answer)
      })
    })
  }

  #send(message: object): string {
    const transaction = String(this.#transactions++)
    const session = this.#session ? { session_id: this.#session } : {}
    this.#socket.send(JSON.stringify({ ...message, ...session, transaction }))
    return transaction
  }

  async close(): Promise<void> {
    clearInterval(this.#keepalive)
    this.#socket.close()
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.kill('SIGKILL')
    await ended
    rmSync(this.#folder, { recursive: true })
  }
}

function writeConfiguration(folder: string, port: number, eventLoops: number): void {
  const libraries = (names: string[]) => names.map((name) => `libjanus_${name}.so`).join(',')
  writeFileSync(
    path.join(folder, 'janus.jcfg'),
    `general: { configs_folder = "${folder}", debug_level = 2${eventLoops > 0 ? `, event_loops = ${eventLoops}` : ''} }
    media: { ipv6 = false, rtp_port_range = "46000-47999" }
    plugins: { disable = "${libraries(PLUGINS_NOT_NEEDED)}" }
    transports: { disable = "${libraries(TRANSPORTS_NOT_NEEDED)}" }`,
  )
  writeFileSync(
    path.join(folder, 'janus.transport.websockets.jcfg'),
    `general: { ws = true, ws_port = ${port}, ws_ip = "127.0.0.1", wss = false }`,
  )
  writeFileSync(
    path.join(folder, 'janus.plugin.videoroom.jcfg'),
    `room-${ROOM}: { description = "bench", publishers = 1, videocodec = "vp8", bitrate = 0 }`,
  )
}

async function connect(url: string): Promise<WebSocket> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS
  for (;;) {
    const socket = new WebSocket(url, 'janus-protocol')
    const open = await new Promise<boolean>((resolve) => {
      socket.onopen = () => resolve(true)
      socket.onerror = () => resolve(false)
    })
    if (open) return socket
    if (performance.now() > deadlineMs) throw new Error('janus does not answer')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
