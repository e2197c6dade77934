import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { OverTime, within } from '../rooms/sessions/within.ts'
import { isPassingFailure } from '../storage/passing-failure.ts'
import type { Connection } from './connection.ts'
import { ErrorCode, type RpcRequest } from './json-rpc.ts'

/** Clients give up a sign-in after 10 s, without a word to their user, so they are told before that what is wrong. */
const SIGN_IN_MS = 8000

/**
 * Which client belongs to which socket. A client is found again by its `protocol` when it comes back with another
 * socket.
 */
export class ClientSockets<Client extends { readonly protocol: string }> {
  readonly #byProtocol = new Map<string, Client>()
  readonly #byConnection = new Map<Connection, Client>()
  /** Sockets whose token is being checked. */
  readonly #connecting = new WeakSet<Connection>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Number of clients, including those that may come back. */
  get size(): number {
    return this.#byProtocol.size
  }

  all(): Client[] {
    return [...this.#byProtocol.values()]
  }

  /** The client of a socket, once it has connected. */
  of(connection: Connection): Client | undefined {
    return this.#byConnection.get(connection)
  }

  /** The client that a connect request names as its own. The caller checks that this is true. */
  named(protocol: string): Client | undefined {
    return this.#byProtocol.get(protocol)
  }

  /**
   * Runs `connect`. A socket that is connected, or is about to be, is told so instead.
   * @param connect must change and answer nothing once `isWaited` says that nobody waits for it any more
   * @throws Refusal `unavailable` when the database is away, or answers too late; and what `connect` throws
   */
  async connectOnce(
    connection: Connection,
    { id }: RpcRequest,
    connect: (isWaited: () => boolean) => Promise<void>,
  ): Promise<void> {
    if (this.#byConnection.has(connection) || this.#connecting.has(connection)) {
      connection.replyError(id, ErrorCode.invalidRequest, 'This socket is connected already.')
      return
    }
    this.#connecting.add(connection)
    let isLate = false
    try {
      await within(
        this.#clock,
        SIGN_IN_MS,
        connect(() => connection.isOpen && !isLate),
      )
    } catch (error) {
      if (!(error instanceof OverTime || isPassingFailure(error))) throw error
      const message = 'The server cannot use its database now. Try again in a few seconds.'
      throw new Refusal('unavailable', { message, cause: error })
    } finally {
      isLate = true
      this.#connecting.delete(connection)
    }
  }

  /**
   * The client has this socket from now on.
   * @param before the socket that it had until now, which is closed
   */
  assign(client: Client, connection: Connection, before: Connection | null = null): void {
    this.#byProtocol.set(client.protocol, client)
    if (before) this.#byConnection.delete(before)
    this.#byConnection.set(connection, client)
    before?.close()
  }

  /** The socket is gone. @returns the client that had it */
  release(connection: Connection): Client | undefined {
    const client = this.#byConnection.get(connection)
    this.#byConnection.delete(connection)
    return client
  }

  /** The client does not come back. */
  forget(client: Client): void {
    this.#byProtocol.delete(client.protocol)
  }
}
