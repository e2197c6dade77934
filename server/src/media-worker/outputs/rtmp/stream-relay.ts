import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { ConnectionTarget, StreamLossCause } from '../../../media/channel.ts'
import { TokenBucket } from '../../../token-bucket.ts'
import { connectToTarget } from './connect-to-target.ts'
import { unacknowledgedBytes } from './send-queue.ts'

export interface StreamRelayOptions {
  target: ConnectionTarget
  /** The destination has accepted the stream. Called once. */
  onPublished: () => void
  /** The connection has ended without `close`. Called once. `detail` is for the log of this server alone. */
  onLost: (cause: StreamLossCause, detail: string) => void
}

/** How long the destination may take to accept a connection, and to agree on TLS, in milliseconds. */
const CONNECT_TIMEOUT_MS = 3000
/** How long it may take altogether until it agrees to take the stream, in milliseconds. */
const PUBLISH_TIMEOUT_MS = 6000
/** How long it may acknowledge nothing of what it is sent, in milliseconds. */
const STALL_TIMEOUT_MS = 4000
const STALL_CHECK_MS = 500
/** How long the last of the stream may take to be sent, in milliseconds. */
const FINISH_TIMEOUT_MS = 2000

/**
 * Bytes that a destination may send at once, and in a second: it answers some requests, and acknowledges every few megabytes.
 * FFmpeg takes memory for what a server says that it is about to send.
 */
const ANSWER_BYTES_AT_ONCE = 256 * 1024
const ANSWER_BYTES_PER_SECOND = 16 * 1024
/** A server's reply when it accepts the stream (Adobe's RTMP 1.0, section 7.2.2.6). FFmpeg sends no media before it. */
const AGREED = Buffer.from('NetStream.Publish.Start')
/** From here on a byte may stand between two chunks of one message (section 5.3.1), and is no part of such a text. */
const FIRST_CHUNK_MARK = 0xc0

/**
 * Stands between FFmpeg, which speaks RTMP, and the network. FFmpeg publishes in clear text to a local port that accepts one
 * connection, and the relay carries it to the destination. So names are not resolved a second time without our check,
 * certificates are verified, nothing hangs in native code, and the reason is known when a stream ends.
 */
export class StreamRelay {
  /** Port of 127.0.0.1 that FFmpeg connects to. */
  readonly port: number
  readonly #options: StreamRelayOptions
  readonly #server: Server
  readonly #deadline: NodeJS.Timeout
  #connectDeadline: NodeJS.Timeout | null = null
  #stallCheck: NodeJS.Timeout | null = null
  #local: Socket | null = null
  #remote: Socket | null = null
  #heard: Buffer = Buffer.alloc(0)
  readonly #answerBudget = new TokenBucket(ANSWER_BYTES_AT_ONCE, ANSWER_BYTES_PER_SECOND)
  #published = false
  #over = false
  #acknowledgedBytes = 0
  #lastProgressMs = performance.now()

  private constructor(options: StreamRelayOptions, server: Server) {
    this.#options = options
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('connection', (socket) => this.#accept(socket))
    this.#deadline = setTimeout(
      () => this.#lose('closed', 'the destination did not agree to take the stream in time'),
      PUBLISH_TIMEOUT_MS,
    )
  }

  /** Listens; connects to the destination as soon as FFmpeg does to the relay. */
  static async open(options: StreamRelayOptions): Promise<StreamRelay> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new StreamRelay(options, server)
  }

  /** FFmpeg has said all: what is under way may still arrive. Idempotent. */
  finish(): void {
    setTimeout(() => this.close(), FINISH_TIMEOUT_MS).unref()
  }

  /** Ends both connections at once. Idempotent. */
  close(): void {
    this.#over = true
    clearTimeout(this.#deadline)
    if (this.#connectDeadline) clearTimeout(this.#connectDeadline)
    if (this.#stallCheck) clearInterval(this.#stallCheck)
    this.#server.close()
    this.#local?.destroy()
    this.#remote?.destroy()
  }

  #accept(local: Socket): void {
    if (this.#local || this.#over) {
      local.destroy()
      return
    }
    this.#local = local
    this.#server.close()
    const remote = connectToTarget(this.#options.target)
    this.#remote = remote
    local.setNoDelay(true)
    remote.setNoDelay(true)
    remote.on('error', (error) => this.#lose('closed', error.message))
    remote.on('close', () => this.#lose('closed', 'the destination closed the connection'))
    local.on('error', () => {})
    // Half-closed is enough: FFmpeg reads no answer to its goodbye.
    local.on('end', () => remote.end())
    remote.on('data', (data) => this.#answer(data))
    remote.on('end', () => local.end())
    local.pipe(remote)
    this.#stallCheck = setInterval(() => void this.#watchProgress(), STALL_CHECK_MS)
    this.#connectDeadline = setTimeout(
      () => this.#lose('closed', 'the destination did not accept a connection in time'),
      CONNECT_TIMEOUT_MS,
    )
    remote.once(this.#options.target.tls ? 'secureConnect' : 'connect', () => {
      if (this.#connectDeadline) clearTimeout(this.#connectDeadline)
    })
  }

  /** Passes on what the destination says. It is too little for FFmpeg not to keep up with. */
  #answer(data: Buffer): void {
    if (this.#over) return
    if (!this.#answerBudget.take(performance.now(), data.length)) {
      this.#lose('closed', 'the destination sends more than a server that takes a stream has to say')
      return
    }
    this.#local?.write(data)
    this.#listen(data)
  }

  #listen(data: Buffer): void {
    if (this.#published) return
    const text = data.filter((byte) => byte < FIRST_CHUNK_MARK)
    this.#heard = Buffer.concat([this.#heard.subarray(-AGREED.length), text])
    if (!this.#heard.includes(AGREED)) return
    this.#published = true
    this.#heard = Buffer.alloc(0)
    clearTimeout(this.#deadline)
    this.#lastProgressMs = performance.now()
    this.#options.onPublished()
  }

  /**
   * What Node has handed to the system may still lie there: buffers of a connection take many seconds of a stream. So only
   * what the destination has acknowledged counts as progress, where the system tells that.
   */
  async #watchProgress(): Promise<void> {
    const remote = this.#remote
    if (!remote || !this.#published) return
    const waitingBytes = remote.writableLength + (await unacknowledgedBytes(remote))
    const acknowledgedBytes = remote.bytesWritten - waitingBytes
    const now = performance.now()
    if (acknowledgedBytes > this.#acknowledgedBytes || waitingBytes === 0) this.#lastProgressMs = now
    this.#acknowledgedBytes = Math.max(this.#acknowledgedBytes, acknowledgedBytes)
    if (now - this.#lastProgressMs > STALL_TIMEOUT_MS) {
      this.#lose('stalled', 'the destination takes nothing any more')
    }
  }

  #lose(cause: StreamLossCause, detail: string): void {
    if (this.#over) return
    this.close()
    this.#options.onLost(cause, detail)
  }
}
