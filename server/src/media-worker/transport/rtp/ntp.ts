/** Seconds from the NTP epoch (1900) to the Unix epoch (1970). */
const NTP_TO_UNIX_SECONDS = 2_208_988_800

/**
 * A moment of this process's clock as NTP time. Built on the monotonic clock: setting the machine's clock moves no
 * report.
 * @param nowMs `performance.now()`
 * @returns milliseconds since the NTP epoch
 */
export function ntpMsOf(nowMs: number): number {
  return performance.timeOrigin + nowMs + NTP_TO_UNIX_SECONDS * 1000
}

/** The 64-bit NTP timestamp of a sender report as milliseconds since the NTP epoch. */
export function ntpMsFromWords(seconds: number, fraction: number): number {
  return seconds * 1000 + (fraction * 1000) / 2 ** 32
}

/** Milliseconds since the NTP epoch as the two 32-bit words of a sender report. */
export function ntpWordsOf(ntpMs: number): { seconds: number; fraction: number } {
  const seconds = Math.floor(ntpMs / 1000)
  const fraction = Math.floor(((ntpMs - seconds * 1000) / 1000) * 2 ** 32)
  return { seconds: seconds >>> 0, fraction: fraction >>> 0 }
}

/** The middle 32 bits of an NTP timestamp: units of 1/65536 s, as in LSR and DLSR (RFC 3550, section 6.4.1). */
export function compactNtpOf(ntpMs: number): number {
  const seconds = Math.floor(ntpMs / 1000)
  const fraction = Math.floor(((ntpMs - seconds * 1000) * 65_536) / 1000)
  return (((seconds & 0xffff) << 16) | fraction) >>> 0
}

/** A duration in units of 1/65536 s as milliseconds. */
export function compactNtpToMs(compact: number): number {
  return (compact * 1000) / 65_536
}

/** A duration in milliseconds in units of 1/65536 s. */
export function msToCompactNtp(durationMs: number): number {
  return Math.round((durationMs * 65_536) / 1000) >>> 0
}
