/** The time limit passed before the awaited promise settled. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/**
 * Waits for a promise, at most `timeoutMs`.
 * @throws TimedOut if it does not settle in time; its later result is dropped
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
