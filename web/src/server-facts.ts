/** What the server says about itself to its own pages. */
export interface ServerFacts {
  /** Another one after each start of the server. */
  run: string
  /** Hosts, each with its port unless that is 443, where clients reach this server. */
  hosts: readonly string[]
}

const timeoutMs = 2_000

/** Asks the server that this page came from. @returns null when it does not answer, or something else does */
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
