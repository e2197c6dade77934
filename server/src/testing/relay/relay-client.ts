import { once } from 'node:events'
import { type ClientOptions, WebSocket } from 'ws'
import { newId } from '../../ids.ts'
import { sampleOffer } from './sample-offer.ts'

type Json = Record<string, unknown>

/** An event of the server, without its envelope. */
export interface ReceivedEvent {
  type: string
  params: Json
}

/** The answer to a request. */
export type Received = { result?: Json; error?: { code: number; message: string } }

const WAIT_MS = 5000

/** A client of the relay that works frame by frame. It records everything that it receives, in order. */
export class RelayClient {
  readonly socket: WebSocket
  /** All frames, including requests of the server. */
  readonly frames: Json[] = []
  readonly events: ReceivedEvent[] = []
  closeCode: number | null = null
  closeReason = ''
  answersPings = true
  readonly #waiting = new Set<() => void>()

  private constructor(url: string, options: ClientOptions) {
    this.socket = new WebSocket(url, options)
    this.socket.on('message', (data) => this.#receive(JSON.parse(data.toString()) as Json))
    this.socket.on('close', (code, reason) => {
      this.closeCode = code
      this.closeReason = reason.toString()
      this.#wake()
    })
    this.socket.on('error', () => {})
  }

  static async open(url: string, options: ClientOptions = {}): Promise<RelayClient> {
    const client = new RelayClient(url, options)
    await once(client.socket, 'open')
    return client
  }

  /** Opens a socket and authenticates. */
  static async connect(
    url: string,
    token: string,
    resume: Json = {},
    options: ClientOptions = {},
  ): Promise<RelayClient & { session: Json }> {
    const client = await RelayClient.open(url, options)
    const { result, error } = await client.request('signalwire.connect', {
      authentication: { jwt_token: token },
      ...resume,
    })
    if (!result) throw new Error(error?.message)
    return Object.assign(client, { session: result })
  }

  sendRaw(data: string | Buffer): void {
    this.socket.send(data)
  }

  async request(method: string, params: Json = {}, id: string | number = newId()): Promise<Received> {
    this.sendRaw(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return (await this.#until(() =>
      this.frames.find((frame) => frame.id === id && !frame.method),
    )) as Received
  }

  /** Sends a call message, and resolves with the inner result of the answer. */
  verto(method: string, params: Json): Promise<Received> {
    return this.request('video.message', {
      message: { jsonrpc: '2.0', id: newId(), method, params },
    })
  }

  /** Joins, and waits for the first layout. */
  async join(callID = newId(), dialog: Json = {}, offer = sampleOffer()): Promise<JoinedCall> {
    const before = this.events.length
    const { result } = await this.verto('verto.invite', { dialogParams: { callID, ...dialog }, sdp: offer })
    if (result?.code !== '200') throw new Error(`refused: ${JSON.stringify(result)}`)
    await this.event('video.layout.changed', { since: before })
    const subscribed = this.events.find(
      ({ type, params }) => type === 'video.room.subscribed' && params.call_id === callID,
    )
    const session = subscribed?.params.room_session as Json | undefined
    return { callID, memberId: subscribed?.params.member_id as string, sessionId: session?.id as string }
  }

  /** Resolves with the first event of that type, received already or later. */
  async event(
    type: string,
    {
      since = 0,
      right = () => true,
      waitMs = WAIT_MS,
    }: { since?: number; right?: (params: Json) => boolean; waitMs?: number } = {},
  ): Promise<Json> {
    const found = await this.#until(
      () => this.events.slice(since).find((event) => event.type === type && right(event.params)),
      type,
      waitMs,
    )
    return found.params
  }

  /** Resolves with the first call message with that method, received already or later. */
  vertoEvent(method: string): Promise<Json> {
    return this.event('webrtc.message', { right: (params) => params.method === method })
  }

  async closed(): Promise<number> {
    await this.#until(() => this.closeCode !== null, 'close')
    return this.closeCode ?? 0
  }

  /**
   * Resolves when the server has read everything sent so far, and this client has read everything that the server sent
   * before. It also resolves if the socket closes.
   */
  async roundTrip(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.socket.once('pong', resolve).once('close', resolve)
    this.socket.ping((error?: Error) => error && resolve())
    await promise
    this.socket.off('pong', resolve).off('close', resolve)
  }

  /** Terminates the socket without a close frame, like a client whose network is gone. */
  drop(): void {
    this.socket.terminate()
  }

  /** From now on nothing comes and goes over the socket, like that of a laptop that sleeps. It stays open. */
  goSilent(): void {
    this.socket.pause()
  }

  /** Closes the socket as a browser does when its page is left. */
  leavePage(): void {
    this.socket.close(1001)
  }

  #receive(frame: Json): void {
    this.frames.push(frame)
    const params = frame.params as Json | undefined
    if (frame.method === 'signalwire.event' && params) {
      this.events.push({ type: params.event_type as string, params: params.params as Json })
    }
    if (frame.method && (frame.method !== 'signalwire.ping' || this.answersPings)) {
      this.sendRaw(JSON.stringify({ jsonrpc: '2.0', id: frame.id, result: {} }))
    }
    this.#wake()
  }

  #wake(): void {
    for (const check of this.#waiting) check()
  }

  #until<T>(find: () => T | undefined | false, what = 'an answer', waitMs = WAIT_MS): Promise<T> {
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(() => {
        this.#waiting.delete(check)
        const seen = this.events.map(({ type, params }) => params.method ?? type)
        reject(new Error(`waited ${waitMs} ms for ${what}; there came ${seen.join(', ') || 'nothing'}`))
      }, waitMs)
      const check = () => {
        const found = find()
        if (!found) return
        clearTimeout(timeout)
        this.#waiting.delete(check)
        resolve(found)
      }
      this.#waiting.add(check)
      check()
    })
  }
}

export interface JoinedCall {
  callID: string
  memberId: string
  sessionId: string
}
