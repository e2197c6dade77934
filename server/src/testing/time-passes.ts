/**
 * Lets time pass, for the rare test whose subject is time itself: a recording of five seconds, an outage, a rate, or
 * that nothing happens for a while. A test that expects a state waits for that state instead.
 * @param what the test needs the time for
 */
export async function timePasses(durationMs: number, _what: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, durationMs))
}
