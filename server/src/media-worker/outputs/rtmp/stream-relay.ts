import { once } from 'node:events'
import {
  type AddressInfo,
  connect as connectTcp,
  createServer,
  isIP,
  type Server,
  type Socket,
} from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { StreamTarget } from '../../../media/media-plane.ts'
import { TokenBucket } from '../../token-bucket.ts'

export interface StreamRelayOptions {
  target: StreamTarget
  /** The destination takes the stream. Called once. */
  onPublished: () => void
  /** The connection is over, by whatever cause but `close`. Called once. */
  onLost: (reason: string) => void
}

/** How long the destination may take to connect and to agree to take the stream, in milliseconds. */
const PUBLISH_TIMEOUT_MS = 8000
/** How long it may take nothing of what it is sent, in milliseconds. */
const STALL_TIMEOUT_MS = 5000
const STALL_CHECK_MS = 1000
/** How long the last of the stream may take to be sent, in milliseconds. */
const FINISH_TIMEOUT_MS = 2000

/**
 * Bytes that a destination may send at once, and in a second: it answers some requests, and acknowledges every few megabytes.
 * FFmpeg takes memory for what a server says that it is about to send.
 */
const ANSWER_BYTES_AT_ONCE = 256 * 1024
const ANSWER_BYTES_PER_SECOND = 16 * 1024
/** What a server says when it agrees (Adobe's RTMP 1.0, section 7.2.2.6); FFmpeg sends nothing of the stream before. */
const AGREED = Buffer.from('NetStream.Publish.Start')
/** From here on a byte may stand between two chunks of one message (section 5.3.1), and is no part of such a text. */
const FIRST_CHUNK_MARK = 0xc0

/**
 * Between FFmpeg, which speaks RTMP, and the network: FFmpeg publishes in clear text to a port of this process that takes
 * one connection, and the relay carries it to the destination. So names are not resolved a second time behind our back,
 * certificates are checked, nothing hangs in native code, and it is known why a stream ended.
 */
export class StreamRelay {
  /** Of 127.0.0.1, that FFmpeg connects to. */
  readonly port: number
  readonly #options: StreamRelayOptions
  readonly #server: Server
  readonly #deadline: NodeJS.Timeout
  #stallCheck: NodeJS.Timeout | null = null
  #local: Socket | null = null
  #remote: Socket | null = null
  #heard: Buffer = Buffer.alloc(0)
  readonly #answerBudget = new TokenBucket(ANSWER_BYTES_AT_ONCE, ANSWER_BYTES_PER_SECOND)
  #published = false
  #over = false
  #sentBytes = 0
  #lastProgressMs = performance.now()

  private constructor(options: StreamRelayOptions, server: Server) {
    this.#options = options
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('connection', (socket) => this.#accept(socket))
    this.#deadline = setTimeout(
      () => this.#lose('the destination did not agree to take the stream in time'),
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
    const remote = this.#connect()
    this.#remote = remote
    local.setNoDelay(true)
    remote.setNoDelay(true)
    remote.on('error', (error) => this.#lose(error.message))
    remote.on('close', () => this.#lose('the destination closed the connection'))
    local.on('error', () => {})
    // Half-closed is enough: FFmpeg reads no answer to its goodbye.
    local.on('end', () => remote.end())
    remote.on('data', (data) => this.#answer(data))
    remote.on('end', () => local.end())
    local.pipe(remote)
    this.#stallCheck = setInterval(() => this.#watchProgress(), STALL_CHECK_MS)
  }

  #connect(): Socket {
    const { host, address, port, tls } = this.#options.target
    if (!tls) return connectTcp({ host: address, port })
    // A certificate for an IP address is checked against that; only names are announced (RFC 6066, section 3).
    const servername = isIP(host) === 0 ? { servername: host } : {}
    return connectTls({ host: address, port, ...servername })
  }

  /** Passes on what the destination says. It is too little for FFmpeg not to keep up with. */
  #answer(data: Buffer): void {
    if (this.#over) return
    if (!this.#answerBudget.take(performance.now(), data.length)) {
      this.#lose('the destination sends more than a server that takes a stream has to say')
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

  #watchProgress(): void {
    const remote = this.#remote
    if (!remote || !this.#published) return
    const sentBytes = remote.bytesWritten - remote.writableLength
    const now = performance.now()
    if (sentBytes > this.#sentBytes || remote.writableLength === 0) this.#lastProgressMs = now
    this.#sentBytes = sentBytes
    if (now - this.#lastProgressMs > STALL_TIMEOUT_MS) this.#lose('the destination takes nothing any more')
  }

  #lose(reason: string): void {
    if (this.#over) return
    this.close()
    this.#options.onLost(reason)
  }
}
