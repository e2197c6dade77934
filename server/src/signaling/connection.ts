import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { WebSocket } from 'ws'
import type { Clock, Timer } from '../clock.ts'
import type { Containment } from '../containment.ts'
import { KINDS } from '../errors/kinds.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import { TokenBucket } from '../token-bucket.ts'
import {
  ErrorCode,
  errorFrame,
  type Frame,
  type RequestId,
  type RpcRequest,
  readFrame,
  requestFrame,
  resultFrame,
} from './json-rpc.ts'

/** After the first ping, the client drops the socket when 15 s pass without another one. */
const PING_INTERVAL_MS = 10_000
const MISSED_PINGS_LIMIT = 3
/** No ping is sent for this long after the end of a call. With the interval, it stays below the client's 15 s. */
const QUIET_AFTER_CALL_MS = 2000
/** A client that has not signed in by then is dropped. */
const AUTHENTICATION_TIMEOUT_MS = 10_000
/** The request that signs a client in. */
const SIGN_IN = 'signalwire.connect'
/** Limit for requests, far above what a user interface sends. */
const REQUEST_BURST = 120
const REQUESTS_PER_SECOND = 40
/** Limit for all frames. The client acknowledges every event of the server by a frame. */
const FRAME_BURST = 4000
const FRAMES_PER_SECOND = 1000
/** A client that does not read is dropped before its unsent data needs more memory than this. */
const UNSENT_LIMIT_BYTES = 16 * 1024 * 1024
const MALFORMED_LIMIT = 10
/** Number of failed sign-ins after which the socket is closed. */
const SIGN_INS_LIMIT = 5

/** Close codes of RFC 6455, section 7.4.1. */
const CLOSE = { normal: 1000, goingAway: 1001, unsupportedData: 1003, policyViolation: 1008 } as const
/** Close code that asks a client to connect again (RFC 6455, registry of close codes). */
export const SERVICE_RESTART = 1012

/** The client at the other end of a connection. */
export interface Peer {
  /** The TCP connection that carries the WebSocket, or TLS on it. */
  socket: Duplex
  /** IP address of the client. Behind a trusted proxy, the proxy tells it. */
  address: string
  /** The host that the client asked for, unchecked. */
  askedHost: string
  /** Host, and port unless it is 443, where the client reaches this server. Safe to use in links. */
  host: string
  /** Whether another node of the cluster passes the socket on to this one. */
  isPassedOn: boolean
}

export interface ConnectionOptions {
  socket: WebSocket
  peer: Peer
  clock: Clock
  log: Logger
  containment: Containment
  /** Answers every request once, or rejects. A {@link Refusal} is answered with its code, any other error as internal. */
  onRequest: (connection: Connection, request: RpcRequest) => Promise<void>
  /**
   * The client answered to a request of the server.
   * @returns whether the server waited for this answer. Such a frame does not count against the limit of frames
   */
  onAnswer: (connection: Connection, id: RequestId) => boolean
  onSignInRefused: (connection: Connection, reason: string) => void
  onClosed: (connection: Connection) => void
}

/** How the connection treats a program, instead of a person's page. */
export interface ProgramTerms {
  /** How many requests it may send. */
  requests: { burst: number; perSecond: number }
  /** Frames are gathered for this long, so that those of many rooms take few system calls. */
  gatherMs: number
}

/** One WebSocket of a client: frames in and out, heartbeat, and limits against abuse. */
export class Connection {
  readonly peer: Peer
  /** Id of this socket, for the log. */
  readonly id = newId()
  readonly #options: ConnectionOptions
  readonly #socket: WebSocket
  #requests: TokenBucket
  readonly #frames: TokenBucket
  #deadline: Timer | null
  #ping: Timer | null = null
  #missedPings = 0
  #noPingBeforeMs = 0
  #heard = true
  #heardAtMs: number
  #malformed = 0
  #refusedSignIns = 0
  #closed = false
  #pageLeft = false
  /**
   * Requests that came while a sign-in was under way; null at other times. Whoever signs the client in answers them, which may be
   * another node. The limit for requests bounds them.
   */
  #held: RpcRequest[] | null = null
  #gatherMs = 0
  #isGathering = false

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.peer = options.peer
    this.#heardAtMs = options.clock.monotonicMs()
    this.#socket = options.socket
    this.#requests = new TokenBucket(REQUEST_BURST, REQUESTS_PER_SECOND)
    this.#frames = new TokenBucket(FRAME_BURST, FRAMES_PER_SECOND)
    this.#deadline = options.clock.after(AUTHENTICATION_TIMEOUT_MS, () => {
      this.close(CLOSE.policyViolation, 'signalwire.connect expected')
    })
    this.#socket.on('message', (data, isBinary) =>
      this.#contain('client message', () => this.#receive(data.toString(), isBinary)),
    )
    this.#socket.on('error', (error) => options.log.debug({ err: error }, 'client socket failed'))
    this.#socket.on('close', (code: number) => {
      this.#pageLeft = code === CLOSE.goingAway
      this.#contain('client gone', () => this.#end())
    })
  }

  /** False from the moment at which either end begins to close it. */
  get isOpen(): boolean {
    return !this.#closed && this.#socket.readyState === this.#socket.OPEN
  }

  /** When the last frame came from the client, on the monotonic clock. */
  get heardAtMs(): number {
    return this.#heardAtMs
  }

  /** Whether the browser closed the socket because its page was left or reloaded (RFC 6455, section 7.4.1). */
  get pageLeft(): boolean {
    return this.#pageLeft
  }

  /**
   * The client has signed in. From now on pings check that it is alive.
   * @param terms for the clients that are programs
   */
  authenticated(terms?: ProgramTerms): void {
    if (terms) {
      this.#requests = new TokenBucket(terms.requests.burst, terms.requests.perSecond)
      this.#gatherMs = terms.gatherMs
    }
    this.#deadline?.cancel()
    this.#deadline = null
    if (!this.#ping && !this.#closed) this.#armPing()
  }

  /**
   * A call of the client ends, and perhaps its socket with it. A ping would disturb: the published client rejects a promise
   * that nobody handles when a ping arrives while it disconnects.
   */
  callEnds(): void {
    this.#noPingBeforeMs = this.#options.clock.monotonicMs() + QUIET_AFTER_CALL_MS
  }

  /** Sends a frame, as text or as the bytes of text. A frame that can no longer be sent is dropped. */
  send(frame: string | Buffer): void {
    if (this.#closed || this.#socket.readyState !== this.#socket.OPEN) return
    if (this.#socket.bufferedAmount > UNSENT_LIMIT_BYTES) {
      this.#options.log.warn('dropping a client that does not read')
      this.#socket.terminate()
      return
    }
    this.#gather()
    this.#socket.send(frame, { binary: false })
  }

  /** Holds what is written for a moment, so that more frames go with it. */
  #gather(): void {
    if (this.#gatherMs === 0 || this.#isGathering) return
    this.#isGathering = true
    this.peer.socket.cork()
    this.#options.clock.after(this.#gatherMs, () => {
      this.#isGathering = false
      this.peer.socket.uncork()
    })
  }

  reply(id: RequestId, result: object): void {
    this.send(resultFrame(id, result))
  }

  replyError(id: RequestId, code: number, message: string): void {
    this.send(errorFrame(id, code, message))
  }

  /** Answers a failed sign-in. A socket with too many failed sign-ins is closed. */
  refuseSignIn(id: RequestId, message: string): void {
    this.replyError(id, ErrorCode.authentication, message)
    this.#options.onSignInRefused(this, message)
    if (this.#deadline && ++this.#refusedSignIns >= SIGN_INS_LIMIT) {
      this.close(CLOSE.policyViolation, 'too many sign-ins failed')
    }
  }

  /**
   * Refuses a sign-in that may succeed elsewhere or later. The socket is closed, so that the client connects again by itself.
   * @param message why, in ASCII. A reason has at most 123 bytes (RFC 6455, section 5.5)
   */
  postponeSignIn(message: string): void {
    this.#options.onSignInRefused(this, message)
    this.close(SERVICE_RESTART, message.slice(0, 123))
  }

  /** Closes the socket after all data is sent. The connection counts as closed at once. */
  close(code: number = CLOSE.normal, reason = ''): void {
    if (this.#closed) return
    this.#socket.close(code, reason)
    this.#end()
  }

  /**
   * Gives the socket to somebody else, who reads and writes it from now on. It is paused, so that nothing is lost. The
   * connection counts as closed.
   * @returns the socket, and requests that came from it and have not been served
   */
  handOver(): { socket: WebSocket; held: readonly RpcRequest[] } {
    this.#socket.pause()
    this.#socket.removeAllListeners()
    this.#end()
    return { socket: this.#socket, held: this.#held ?? [] }
  }

  /** Limits a fault to this client: it loses its socket, and may come back with a new one. */
  #contain(where: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#options.containment.note(where, error, { connectionId: this.id })
      this.#socket.terminate()
    }
  }

  #receive(text: string, isBinary: boolean): void {
    if (this.#closed) return
    this.#heard = true
    this.#heardAtMs = this.#options.clock.monotonicMs()
    if (isBinary) {
      this.close(CLOSE.unsupportedData, 'text frames only')
      return
    }
    const frame = readFrame(text)
    if (frame.kind === 'response' && frame.id !== null && this.#options.onAnswer(this, frame.id)) return
    const now = this.#options.clock.now()
    if (!this.#frames.take(now)) {
      this.#options.log.warn('dropping a client that floods')
      this.close(CLOSE.policyViolation, 'too many frames')
      return
    }
    this.#handle(frame, now)
  }

  #handle(frame: Frame, now: number): void {
    switch (frame.kind) {
      case 'invalid':
        this.send(errorFrame(frame.id, frame.code, frame.message))
        if (++this.#malformed >= MALFORMED_LIMIT) this.close(CLOSE.policyViolation, 'malformed frames')
        return
      case 'request':
        if (this.#requests.take(now)) this.#dispatch(frame.request)
        else {
          const { webSocketCode: code } = KINDS.rateLimited
          this.reply(frame.request.id, { code, message: 'Too many requests. Slow down.' })
        }
        return
      // Other answers, such as those to pings, only show that the client is alive.
      case 'response':
      case 'notification':
    }
  }

  #dispatch(request: RpcRequest): void {
    if (this.#held) {
      this.#held.push(request)
      return
    }
    if (request.method !== SIGN_IN) {
      void this.#serve(request)
      return
    }
    this.#held = []
    void this.#serve(request).then(() => this.#dispatchHeld())
  }

  #dispatchHeld(): void {
    const held = this.#held ?? []
    this.#held = null
    if (this.#closed) return
    for (const request of held) this.#dispatch(request)
  }

  async #serve(request: RpcRequest): Promise<void> {
    try {
      await this.#options.onRequest(this, request)
    } catch (error) {
      if (error instanceof Refusal) {
        this.#refuse(request, error)
        return
      }
      this.#options.log.error({ err: error, method: request.method.slice(0, 100) }, 'request failed')
      this.replyError(request.id, ErrorCode.internal, 'The server could not do this. Try again.')
    }
  }

  /** Answers a refused request. In the client, a code that does not start with 2 rejects the caller's promise. */
  #refuse({ id, method }: RpcRequest, refusal: Refusal): void {
    const { fault, webSocketCode: code, message } = refusal
    if (fault === 'ours')
      this.#options.log.warn({ err: refusal, method: method.slice(0, 100) }, 'request refused')
    this.reply(id, { code, message })
  }

  #armPing(): void {
    this.#ping = this.#options.clock.after(PING_INTERVAL_MS, () => {
      const quietMs = this.#noPingBeforeMs - this.#options.clock.monotonicMs()
      if (quietMs > 0) this.#ping = this.#options.clock.after(quietMs, () => this.#pingClient())
      else this.#pingClient()
    })
  }

  #pingClient(): void {
    this.#missedPings = this.#heard ? 0 : this.#missedPings + 1
    this.#heard = false
    if (this.#missedPings >= MISSED_PINGS_LIMIT) {
      this.#socket.terminate()
      return
    }
    const timestamp = this.#options.clock.now() / 1000
    this.send(requestFrame(crypto.randomUUID(), 'signalwire.ping', { timestamp }))
    this.#armPing()
  }

  #end(): void {
    if (this.#closed) return
    this.#closed = true
    this.#deadline?.cancel()
    this.#ping?.cancel()
    this.#options.onClosed(this)
  }
}
