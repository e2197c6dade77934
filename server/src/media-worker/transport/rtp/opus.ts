/** Samples at 48 kHz of one frame, by the configuration number in the first byte (RFC 6716, section 3.1, table 2). */
function frameSamples(configuration: number): number {
  if (configuration < 12) return [480, 960, 1920, 2880][configuration & 3]!
  if (configuration < 16) return configuration & 1 ? 960 : 480
  return [120, 240, 480, 960][configuration & 3]!
}

/**
 * How long an Opus packet sounds (RFC 6716, section 3.2).
 * @returns samples at 48 kHz, or 0 where it is no Opus packet
 */
export function opusDurationSamples(packet: Buffer, start: number, end: number): number {
  if (start >= end) return 0
  const head = packet[start]!
  const samples = frameSamples(head >> 3)
  const code = head & 3
  if (code === 0) return samples
  if (code < 3) return 2 * samples
  if (start + 1 >= end) return 0
  const count = packet[start + 1]! & 0x3f
  // At most 120 ms.
  return count * samples <= 5760 ? count * samples : 0
}
