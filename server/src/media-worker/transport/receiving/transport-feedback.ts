import { sequenceDistance } from '../rtp/serial.ts'

/** Packets whose arrival is remembered: a power of two, more than a second of a fast camera. */
const HISTORY_PACKETS = 2048
/** How far behind what was reported a late packet still moves the window of the next report back. */
const LATE_PACKETS = 512
/** Keeps one feedback packet below 1,000 bytes. */
const MOST_PACKETS_PER_FEEDBACK = 360
/** Deltas are sent in units of 250 microseconds, the reference time in units of 64 ms. */
const TICKS_PER_MS = 4
const TICKS_PER_REFERENCE = 64 * TICKS_PER_MS
const NOT_RECEIVED = 0
const SMALL_DELTA = 1
const LARGE_DELTA = 2

/**
 * Transport-wide congestion control feedback, the receiver's side (draft-holmer-rmcat-transport-wide-cc-extensions-01):
 * one for all streams of a transport. Every missing packet is in the status list, or the browser's bandwidth estimate
 * never grows.
 */
export class TransportFeedback {
  /** Created with the first packet: most legs of a large room never send any. */
  #arrivedAtMs = new Float64Array(0)
  /** Which extended sequence number the place holds; they start above 0, which means none. */
  #sequences = new Float64Array(0)
  readonly #symbols = new Uint8Array(MOST_PACKETS_PER_FEEDBACK)
  readonly #deltas = new Int16Array(MOST_PACKETS_PER_FEEDBACK)
  #highest = -1
  /** First extended sequence number that the next feedback covers. */
  #next = -1
  /** How many packets the feedback in the making covers. */
  #packets = 0
  /** Feedback packets sent, modulo 256. */
  #count = 0

  /** Notes the arrival of the packet with this transport-wide sequence number. */
  onPacket(sequence: number, nowMs: number): void {
    if (this.#highest < 0) {
      this.#arrivedAtMs = new Float64Array(HISTORY_PACKETS)
      this.#sequences = new Float64Array(HISTORY_PACKETS)
      this.#highest = this.#next = 0x10000 + sequence
    }
    const extended = this.#highest + sequenceDistance(this.#highest & 0xffff, sequence)
    if (extended > this.#highest + HISTORY_PACKETS / 2) {
      // The sender began anew; what lies between was never sent.
      this.#next = extended
    } else if (extended < this.#next) {
      if (extended < this.#next - LATE_PACKETS) return
      this.#next = extended
    }
    this.#highest = Math.max(this.#highest, extended)
    // What is older than the history is not known any more, and a report of it could be made as long as one likes.
    this.#next = Math.max(this.#next, this.#highest - HISTORY_PACKETS + 1)
    this.#sequences[extended % HISTORY_PACKETS] = extended
    this.#arrivedAtMs[extended % HISTORY_PACKETS] = nowMs
  }

  /**
   * Writes one feedback packet about what arrived since the last one; call it until it gives null.
   * @param senderSsrc ours
   * @param mediaSsrc any stream of the transport
   */
  take(senderSsrc: number, mediaSsrc: number): Buffer | null {
    if (this.#highest < 0 || this.#next > this.#highest) return null
    const base = this.#next
    const reference = this.#referenceOf(base)
    if (reference === null) {
      this.#next = this.#highest + 1
      return null
    }
    const deltaBytes = this.#collect(base, reference)
    const body = this.#write(senderSsrc, mediaSsrc, base, reference, deltaBytes)
    this.#next = base + this.#packets
    this.#count = (this.#count + 1) & 0xff
    return body
  }

  #arrivalTicks(extended: number): number | null {
    const place = extended % HISTORY_PACKETS
    if (this.#sequences[place] !== extended) return null
    return Math.round(this.#arrivedAtMs[place]! * TICKS_PER_MS)
  }

  /** Reference time, in units of 64 ms, of the first packet that arrived from `base` on. */
  #referenceOf(base: number): number | null {
    for (let extended = base; extended <= this.#highest; extended++) {
      const ticks = this.#arrivalTicks(extended)
      if (ticks !== null) return Math.floor(ticks / TICKS_PER_REFERENCE)
    }
    return null
  }

  /** Fills symbols and deltas from `base` on; returns how many bytes the deltas take. */
  #collect(base: number, reference: number): number {
    let lastTicks = reference * TICKS_PER_REFERENCE
    let bytes = 0
    let count = 0
    while (count < MOST_PACKETS_PER_FEEDBACK && base + count <= this.#highest) {
      const ticks = this.#arrivalTicks(base + count)
      if (ticks === null) {
        this.#symbols[count++] = NOT_RECEIVED
        continue
      }
      const delta = ticks - lastTicks
      // A silence too long for a delta: the rest goes into the next packet, with a reference of its own.
      if (delta > 0x7fff || delta < -0x8000) break
      const small = delta >= 0 && delta <= 0xff
      this.#symbols[count] = small ? SMALL_DELTA : LARGE_DELTA
      this.#deltas[count++] = delta
      bytes += small ? 1 : 2
      lastTicks = ticks
    }
    this.#packets = count
    return bytes
  }

  #write(senderSsrc: number, mediaSsrc: number, base: number, reference: number, deltaBytes: number): Buffer {
    const chunks = statusChunks(this.#symbols, this.#packets)
    const length = 20 + 2 * chunks.length + deltaBytes
    const padding = (4 - (length % 4)) % 4
    const packet = Buffer.alloc(length + padding)
    packet[0] = 0x80 | (padding ? 0x20 : 0) | 15
    packet[1] = 205
    packet.writeUInt16BE(packet.length / 4 - 1, 2)
    packet.writeUInt32BE(senderSsrc, 4)
    packet.writeUInt32BE(mediaSsrc, 8)
    packet.writeUInt16BE(base & 0xffff, 12)
    packet.writeUInt16BE(this.#packets, 14)
    packet.writeUIntBE(reference & 0xffffff, 16, 3)
    packet[19] = this.#count
    let offset = 20
    for (const chunk of chunks) offset = packet.writeUInt16BE(chunk, offset)
    for (let i = 0; i < this.#packets; i++) {
      if (this.#symbols[i] === SMALL_DELTA) packet[offset++] = this.#deltas[i]!
      else if (this.#symbols[i] === LARGE_DELTA) offset = packet.writeInt16BE(this.#deltas[i]!, offset)
    }
    if (padding) packet[packet.length - 1] = padding
    return packet
  }
}

/** Packs status symbols: runs into run length chunks, everything else into vectors of 14 or 7 (section 3.1.2 to 3.1.4). */
function statusChunks(symbols: Uint8Array, count: number): number[] {
  const chunks: number[] = []
  let at = 0
  while (at < count) {
    let run = 1
    while (at + run < count && symbols[at + run] === symbols[at]) run++
    const ahead = Math.min(14, count - at)
    if (run >= 14 || run === count - at) {
      chunks.push((symbols[at]! << 13) | run)
      at += run
    } else if (!symbols.subarray(at, at + ahead).includes(LARGE_DELTA)) {
      let chunk = 0x8000
      for (let i = 0; i < ahead; i++) chunk |= symbols[at + i]! << (13 - i)
      chunks.push(chunk)
      at += ahead
    } else {
      let chunk = 0xc000
      for (let i = 0; i < 7 && at + i < count; i++) chunk |= symbols[at + i]! << (12 - 2 * i)
      chunks.push(chunk)
      at += 7
    }
  }
  return chunks
}
