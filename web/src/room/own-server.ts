import { fetchServerFacts } from '../server-facts.ts'
import { leadsTo, tokenHost } from './token-host.ts'

/** A room token that would send camera and microphone to another server. */
export class ForeignServer extends Error {
  override readonly name = 'ForeignServer'
  /** The host that the token names; null if it cannot be read. */
  readonly host: string | null

  constructor(host: string | null) {
    super('The invitation leads to another server.')
    this.host = host
  }
}

/**
 * Resolves if a token leads to the server that this page came from.
 * @throws ForeignServer
 */
export async function assureOwnServer(token: string): Promise<void> {
  if (leadsTo(token, [window.location.host])) return
  // The operator may have configured a host that differs from the one in the address bar.
  const facts = await fetchServerFacts()
  if (leadsTo(token, facts?.hosts ?? [])) return
  const named = tokenHost(token)
  throw new ForeignServer(named.is === 'named' ? named.host : null)
}
