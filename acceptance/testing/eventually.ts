import { setTimeout as delay } from 'node:timers/promises'

/**
 * Polls until the answer is right. Use it for states that no event reports, such as the picture in a browser.
 * @param look resolves with what is seen now
 * @param right whether that is the expected state
 * @throws after `timeoutMs`, with what was seen last
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T>,
  right: (seen: T) => boolean,
  { timeoutMs = 15_000, everyMs = 100 } = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const seen = await look()
    if (right(seen)) return seen
    if (performance.now() > deadline) {
      throw new Error(
        `${what}: not within ${timeoutMs} ms; last seen: ${JSON.stringify(seen)?.slice(0, 4000)}`,
      )
    }
    await delay(everyMs)
  }
}

/**
 * Checks that a state is right, and stays right for `forMs`.
 * @param look resolves with what is seen now
 * @param right whether that is the expected state
 * @throws at the first look that is not right, with what was seen
 */
export async function throughout<T>(
  what: string,
  forMs: number,
  look: () => Promise<T>,
  right: (seen: T) => boolean,
): Promise<void> {
  const endsAtMs = performance.now() + forMs
  for (;;) {
    const seen = await look()
    if (!right(seen)) throw new Error(`${what}: no longer; seen: ${JSON.stringify(seen)?.slice(0, 4000)}`)
    if (performance.now() >= endsAtMs) return
    await delay(100)
  }
}

/**
 * Fails when a promise takes too long.
 * @throws after `timeoutMs`
 */
export async function within<T>(what: string, timeoutMs: number, work: Promise<T>): Promise<T> {
  const stop = new AbortController()
  const late = delay(timeoutMs, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`${what}: not within ${timeoutMs} ms`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    stop.abort()
  }
}
