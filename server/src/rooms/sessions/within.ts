import type { Clock } from '../../clock.ts'

/**
 * How long a media worker may take to confirm a change, in milliseconds. Clients give up a request after 10 s, and two
 * changes of one member may wait for each other.
 */
export const CONFIRMATION_TIMEOUT_MS = 4000

/** The awaited result did not arrive in time. */
export class OverTime extends Error {
  override readonly name = 'OverTime'
}

/**
 * Waits for `work` for a limited time. Clients give up a request after 10 s and must get an answer before that.
 * @param discard receives a result that arrives too late
 * @throws OverTime when `limitMs` has passed, or what `work` rejects with
 */
export async function within<T>(
  clock: Clock,
  limitMs: number,
  work: Promise<T>,
  discard: (late: T) => void = () => {},
): Promise<T> {
  const { promise: passed, reject } = Promise.withResolvers<never>()
  let isLate = false
  const timer = clock.after(limitMs, () => {
    isLate = true
    reject(new OverTime(`no answer in ${limitMs} ms`))
  })
  work.then(
    (result) => isLate && discard(result),
    () => {},
  )
  try {
    return await Promise.race([work, passed])
  } finally {
    timer.cancel()
  }
}
