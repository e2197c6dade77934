/**
 * Lets time pass, for the rare test whose subject is time itself: a recording of five seconds, an outage, a pace, or that
 * nothing happens for a while. Where a test awaits something, it waits for that instead.
 * @param what the test needs the time for
 */
export async function timePasses(durationMs: number, _what: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, durationMs))
}
