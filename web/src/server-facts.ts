/** Information that the server gives to its own pages. */
export interface ServerFacts {
  /** An id that changes with each start of the server, or with the end of the session that was asked for. */
  run: string
  /** Hosts at which clients reach this server, each with its port unless that is 443. */
  hosts: readonly string[]
}

const timeoutMs = 2_000

/**
 * Asks the server that this page came from.
 * @param sessionId of the call, if there is one: another node of a cluster may answer than the one that has the call
 * @returns null if it does not answer, or something else answers
 */
export async function fetchServerFacts(sessionId: string | null = null): Promise<ServerFacts | null> {
  try {
    const query = sessionId === null ? '' : `?room_session_id=${encodeURIComponent(sessionId)}`
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await fetch(`/page/server${query}`, { signal, credentials: 'omit', cache: 'no-store' })
    const { run, hosts } = (await answer.json()) as Partial<ServerFacts>
    if (!answer.ok || typeof run !== 'string' || !Array.isArray(hosts)) return null
    return { run, hosts }
  } catch {
    return null
  }
}
