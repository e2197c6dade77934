import { AcmeName, type AcmeParts } from './one-name.ts'

/** How often it is seen whether a certificate is due, or a new space needs one, in milliseconds. */
const CHECK_INTERVAL_MS = 60_000

/** Certificates that renew by themselves. */
export interface KeptAcmeCertificates {
  /** Resolves after the first look, which takes up what is kept. It waits for no authority. */
  opened: Promise<void>
  stop(): void
}

/**
 * Gets certificates by ACME and renews them, one name after the other.
 * @param names the names that need one now
 */
export function keepAcmeCertificates(
  parts: AcmeParts,
  names: () => Promise<readonly string[]>,
): KeptAcmeCertificates {
  const { clock, log } = parts
  const known = new Map<string, AcmeName>()
  const ending = new AbortController()

  async function open(): Promise<void> {
    for (const name of await names()) {
      if (!known.has(name)) known.set(name, await AcmeName.open(name, parts))
    }
  }
  async function look(): Promise<void> {
    try {
      await open()
      for (const one of known.values()) {
        if (ending.signal.aborted) return
        await one.keepUp(ending.signal)
      }
    } catch (error) {
      // Such as a database that is away for a while.
      log.error({ err: error }, 'certificates could not be looked after; this is done again in a minute')
    }
  }
  async function lookFromNowOn(): Promise<void> {
    await look()
    if (!ending.signal.aborted) timer = clock.after(CHECK_INTERVAL_MS, () => void lookFromNowOn())
  }

  let timer = clock.after(0, () => {})
  const opened = open().catch((error: unknown) =>
    log.error({ err: error }, 'kept certificates cannot be read'),
  )
  void opened.then(lookFromNowOn)
  return {
    opened,
    stop() {
      ending.abort()
      timer.cancel()
    },
  }
}
