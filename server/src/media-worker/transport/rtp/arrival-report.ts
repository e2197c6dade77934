/** Packets that one report may speak of: what cannot be in the history of a sender any more need not be read. */
const MOST_PACKETS = 1024
const HEADER_BYTES = 20
const REFERENCE_MS = 64
const DELTA_MS = 0.25
const SMALL_DELTA = 1
const LARGE_DELTA = 2

/** When a browser got packets, by their transport-wide numbers. */
export interface ArrivalReport {
  /** Number of the first packet, modulo 2^16. */
  first: number
  count: number
  /** For each packet from the first on: when it arrived, on the browser's clock; NaN where it did not. */
  arrivedAtMs: Float64Array
}

const report: ArrivalReport = { first: 0, count: 0, arrivedAtMs: new Float64Array(MOST_PACKETS) }
/** Status of each packet: 0 not received, 1 with a delta of one byte, 2 of two. */
const symbols = new Uint8Array(MOST_PACKETS)

/**
 * Reads transport-wide congestion control feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01, section 3.1). The
 * clock of the browser begins anew every twelve days.
 * @param start where the RTCP packet begins in `packet`
 * @returns null where it is malformed; the report is valid until the next call
 */
export function readArrivalReport(packet: Buffer, start: number, end: number): ArrivalReport | null {
  if (end < start + HEADER_BYTES) return null
  report.first = packet.readUInt16BE(start + 12)
  report.count = packet.readUInt16BE(start + 14)
  if (report.count > MOST_PACKETS) return null
  const deltasAt = readSymbols(packet, start + HEADER_BYTES, end, report.count)
  if (deltasAt < 0) return null
  const reference = packet.readUIntBE(start + 16, 3) * REFERENCE_MS
  return readDeltas(packet, deltasAt, end, reference) ? report : null
}

/** @returns where the symbols end, or -1 where they are cut short */
function readSymbols(packet: Buffer, start: number, end: number, count: number): number {
  let at = start
  let done = 0
  while (done < count) {
    if (at + 2 > end) return -1
    const chunk = packet.readUInt16BE(at)
    at += 2
    if (chunk < 0x8000) {
      const until = Math.min(count, done + (chunk & 0x1fff))
      if (until === done) return -1
      symbols.fill(chunk >> 13, done, until)
      done = until
    } else if (chunk < 0xc000) {
      for (let bit = 13; bit >= 0 && done < count; bit--) symbols[done++] = (chunk >> bit) & 1
    } else {
      for (let bit = 12; bit >= 0 && done < count; bit -= 2) symbols[done++] = (chunk >> bit) & 3
    }
  }
  return at
}

function readDeltas(packet: Buffer, start: number, end: number, referenceMs: number): boolean {
  let at = start
  let timeMs = referenceMs
  for (let i = 0; i < report.count; i++) {
    const symbol = symbols[i]!
    if (symbol === SMALL_DELTA) {
      if (at + 1 > end) return false
      timeMs += packet[at]! * DELTA_MS
      at += 1
    } else if (symbol === LARGE_DELTA) {
      if (at + 2 > end) return false
      timeMs += packet.readInt16BE(at) * DELTA_MS
      at += 2
    }
    report.arrivedAtMs[i] = symbol === SMALL_DELTA || symbol === LARGE_DELTA ? timeMs : Number.NaN
  }
  return true
}
