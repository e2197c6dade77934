import autocannon from 'autocannon'

export interface LoadOptions {
  url: string
  authorization?: string
  connections: number
  seconds: number
  /** Makes the body of each request. If set, the requests are POST. */
  body?: () => object
}

/** The result of a load. */
export interface LoadResult {
  requestsPerSecond: number
  /** Milliseconds. */
  p99Ms: number
}

/**
 * Sends requests on `connections` connections for `seconds`.
 * @throws if an answer was no success
 */
export async function load({
  url,
  authorization,
  connections,
  seconds,
  body,
}: LoadOptions): Promise<LoadResult> {
  const headers = {
    ...(authorization !== undefined && { authorization }),
    ...(body && { 'content-type': 'application/json' }),
  }
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers,
    ...(body && {
      method: 'POST' as const,
      requests: [{ setupRequest: (request: object) => ({ ...request, body: JSON.stringify(body()) }) }],
    }),
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers were no success, ${result.errors} requests failed`)
  }
  return { requestsPerSecond: result['2xx'] / result.duration, p99Ms: result.latency.p99 }
}
