/** Information that the server gives to its own pages. */
export interface ServerFacts {
  /** An id that changes with each start of the server. */
  run: string
  /** Hosts at which clients reach this server, each with its port unless that is 443. */
  hosts: readonly string[]
}

const timeoutMs = 2_000

/** Asks the server that this page came from. @returns null if it does not answer, or something else answers */
export async function fetchServerFacts(): Promise<ServerFacts | null> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await fetch('/page/server', { signal, credentials: 'omit', cache: 'no-store' })
    const { run, hosts } = (await answer.json()) as Partial<ServerFacts>
    if (!answer.ok || typeof run !== 'string' || !Array.isArray(hosts)) return null
    return { run, hosts }
  } catch {
    return null
  }
}
