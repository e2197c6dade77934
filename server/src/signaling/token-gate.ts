import { Refusal } from '../errors/refusal.ts'
import type { ConnectionPool, Fullness } from '../limits/connection-pool.ts'
import { type FailedSignIns, TooManyFailedSignIns } from '../limits/failed-sign-ins.ts'
import { signInRefused } from './authorization.ts'
import type { Connection } from './connection.ts'

const FULL: Readonly<Record<Fullness, string>> = {
  server: 'The server has as many connections as it can take. Try again in a minute.',
  address: 'Too many connections from your address. Close some, or try again in a minute.',
  token:
    'Too many connections from your address with this token. Close some, or ask for a token of your own.',
  project: 'Too many clients are connected to this project. Try again in a minute.',
}

export interface TokenGateOptions {
  failedSignIns: FailedSignIns
  connections: Pick<ConnectionPool, 'signIn'>
}

/** Counts the tokens that sockets present: wrong ones by address, valid ones against the limits of connections. */
export class TokenGate {
  readonly #failedSignIns: FailedSignIns
  readonly #connections: Pick<ConnectionPool, 'signIn'>

  constructor({ failedSignIns, connections }: TokenGateOptions) {
    this.#failedSignIns = failedSignIns
    this.#connections = connections
  }

  /**
   * Runs a check of a signature, and counts a wrong token.
   * @throws Refusal `sign_in_refused` when there were too many wrong tokens, and what `judge` throws
   */
  async judged<T>({ peer }: Connection, judge: () => Promise<T>): Promise<T> {
    try {
      return await judge()
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'wrong_token')) throw error
      orRefuse(() => this.#failedSignIns.countWrong(peer.address))
      throw error
    }
  }

  /**
   * Looks up a token that only the database can check.
   * @param find resolves to undefined for a wrong token, which is then counted
   * @throws Refusal `sign_in_refused` when the token is not looked up, because there were too many wrong ones
   */
  lookUp<T>({ peer }: Connection, token: string, find: () => Promise<T | undefined>): Promise<T | undefined> {
    return orRefuse(() => this.#failedSignIns.lookUp(peer.address, token, find))
  }

  /**
   * Admits a socket with a valid token.
   * @param returning the client comes back to a session that has a call; no limit applies to it
   * @throws Refusal `connections_used_up` when a limit of connections is reached
   */
  admit(
    { peer }: Connection,
    { projectId, tokenId }: { projectId: string; tokenId: string },
    { returning }: { returning: boolean },
  ): void {
    const holder = { project: projectId, token: tokenId }
    const fullness = this.#connections.signIn(peer.socket, holder, { returning })
    if (fullness !== null) throw new Refusal('connections_used_up', FULL[fullness])
  }
}

function orRefuse<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TooManyFailedSignIns)) throw error
    throw signInRefused(error.message)
  }
}
