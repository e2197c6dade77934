import { createHmac } from 'node:crypto'
import type { ChatClient, ChatEvent } from '../../chat/chat-client.ts'
import type { ChatGrant } from '../../chat/chat-token.ts'
import type { Clock, Timer } from '../../clock.ts'
import { newId } from '../../ids.ts'
import { newProtocol } from '../authorization.ts'
import { ClientLine } from '../client-line.ts'
import type { Connection } from '../connection.ts'
import { encodedChatEvent } from './chat-wire.ts'

/** A client of the chat as the server knows it, for longer than one socket. */
export class ChatSession implements ChatClient {
  readonly signature: string
  readonly protocol: string
  readonly scopeId = newId()
  grant: ChatGrant
  readonly #clock: Clock
  /** Events that the client may have missed are sent again when it comes back. */
  readonly line = new ClientLine()
  #absence: Timer | null = null

  /** @param key key of the tokens; its signature proves that this server made the protocol */
  constructor(options: {
    grant: ChatGrant
    connection: Connection
    clock: Clock
    key: Uint8Array
    /** The client's own, when it comes back after a restart of the server. */
    protocol: string | undefined
  }) {
    const { grant, connection, clock, key } = options
    this.grant = grant
    this.line.attach(connection)
    this.#clock = clock
    const [, ownSignature] = options.protocol?.split('_') ?? []
    this.signature =
      ownSignature ?? createHmac('sha256', key).update(`protocol/${grant.id}`).digest('hex').slice(0, 32)
    this.protocol = options.protocol ?? newProtocol(this.signature, grant.project_id)
  }

  get connection(): Connection | null {
    return this.line.connection
  }

  /** Whether a client with this token may resume the session. */
  belongsTo({ project_id, member_id }: ChatGrant): boolean {
    return this.grant.project_id === project_id && this.grant.member_id === member_id
  }

  notify(event: ChatEvent): void {
    this.line.send(encodedChatEvent(event, this.#clock.now()))
  }

  /** Uses this socket from now on. @returns the previous socket, still open */
  attach(connection: Connection): Connection | null {
    this.#absence?.cancel()
    this.#absence = null
    return this.line.attach(connection)
  }

  /**
   * Forgets a socket that is gone. `onOver` is called when no other socket comes within `graceMs`.
   * @returns whether it was the socket in use
   */
  detach(connection: Connection, graceMs: number, onOver: () => void): boolean {
    if (!this.line.detach(connection)) return false
    this.#absence = this.#clock.after(graceMs, onOver)
    return true
  }

  /** Stops waiting for the client. */
  end(): void {
    this.#absence?.cancel()
    this.#absence = null
    this.line.end()
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
