import { createHmac } from 'node:crypto'
import type { ChatClient, ChatEvent } from '../../chat/chat-client.ts'
import type { ChatGrant } from '../../chat/chat-token.ts'
import type { Clock, Timer } from '../../clock.ts'
import { newId } from '../../ids.ts'
import { newProtocol } from '../authorization.ts'
import type { Connection } from '../connection.ts'
import { chatEventFrame } from './chat-wire.ts'

/** Number of events that are kept for a client without a socket. The newest ones are kept. */
const MISSED_EVENTS_MAX = 200

/** A client of the chat as the server knows it, for longer than one socket. */
export class ChatSession implements ChatClient {
  readonly signature: string
  readonly protocol: string
  readonly scopeId = newId()
  grant: ChatGrant
  readonly #clock: Clock
  #connection: Connection | null
  #missed: Buffer[] = []
  #absence: Timer | null = null

  /** @param key key of the tokens; its signature proves that this server made the protocol */
  constructor(options: { grant: ChatGrant; connection: Connection; clock: Clock; key: Uint8Array }) {
    const { grant, connection, clock, key } = options
    this.grant = grant
    this.#connection = connection
    this.#clock = clock
    this.signature = createHmac('sha256', key).update(`protocol/${grant.id}`).digest('hex').slice(0, 32)
    this.protocol = newProtocol(this.signature, grant.project_id)
  }

  get connection(): Connection | null {
    return this.#connection
  }

  /** Whether a client with this token may resume the session. */
  belongsTo({ project_id, member_id }: ChatGrant): boolean {
    return this.grant.project_id === project_id && this.grant.member_id === member_id
  }

  notify(event: ChatEvent): void {
    const frame = chatEventFrame(event, this.#clock.now())
    if (this.#connection) {
      this.#connection.send(frame)
      return
    }
    this.#missed.push(frame)
    if (this.#missed.length > MISSED_EVENTS_MAX) this.#missed.shift()
  }

  /** Uses this socket from now on. @returns the previous socket, still open */
  attach(connection: Connection): Connection | null {
    const before = this.#connection
    this.#connection = connection
    this.#absence?.cancel()
    this.#absence = null
    return before
  }

  /** Sends the events that came while the client had no socket. */
  catchUp(): void {
    const missed = this.#missed
    this.#missed = []
    for (const frame of missed) this.#connection?.send(frame)
  }

  /**
   * Forgets a socket that is gone. `onOver` is called when no other socket comes within `graceMs`.
   * @returns whether it was the socket in use
   */
  detach(connection: Connection, graceMs: number, onOver: () => void): boolean {
    if (this.#connection !== connection) return false
    this.#connection = null
    this.#absence = this.#clock.after(graceMs, onOver)
    return true
  }

  /** Stops waiting for the client. */
  end(): void {
    this.#absence?.cancel()
    this.#absence = null
    this.#missed = []
  }

  /** The `authorization` object of a connect result (docs/protocol.md, section 10). */
  get authorization(): object {
    const { id, kind, project_id, member_id, channels, issued_at, expires_at } = this.grant
    return {
      type: 'chat',
      project: project_id,
      project_id,
      scopes: [kind],
      scope_id: this.scopeId,
      resource: id,
      space_id: null,
      member_id,
      channels: Object.fromEntries(channels),
      signature: this.signature,
      ttl: Math.round((expires_at - issued_at) / 60_000),
      expires_at: Math.floor(expires_at / 1000),
    }
  }
}
