/** Something took too long, and the page stopped waiting for it. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/**
 * Waits for a promise, but not for ever.
 * @throws TimedOut when it does not settle in time; its later result is dropped
 */
export async function within<Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut()), timeoutMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
