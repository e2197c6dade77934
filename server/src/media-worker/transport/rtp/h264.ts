import type { VideoPacket } from '../receiving/video-packet.ts'
import type { PayloadSlot } from '../sending/payload-slot.ts'

const IDR_SLICE = 5
const SEQUENCE_PARAMETERS = 7
const ACCESS_UNIT_DELIMITER = 9
const FILLER = 12
const STAP_A = 24
const FU_A = 28
const FU_HEADER_BYTES = 2
const START_CODE = Buffer.from([0, 0, 1])

/**
 * Whether the packet begins a keyframe that can be decoded without what came before: it carries a sequence parameter
 * set, alone or aggregated (RFC 6184, sections 5.6 and 5.7.1). Browsers send one before every IDR picture.
 */
export function h264StartsKeyframe(packet: Buffer, start: number, end: number): boolean {
  if (start >= end) return false
  const type = packet[start]! & 0x1f
  if (type !== STAP_A) return type === SEQUENCE_PARAMETERS
  let at = start + 1
  while (at + 2 < end) {
    const length = packet.readUInt16BE(at)
    if ((packet[at + 2]! & 0x1f) === SEQUENCE_PARAMETERS) return true
    at += 2 + length
  }
  return false
}

/**
 * Puts an access unit together, as Annex B.
 * @param packets all of the access unit, in order
 * @returns null where they are not one
 */
export function assembleH264(packets: readonly VideoPacket[]): { data: Buffer; keyframe: boolean } | null {
  const size = writeAnnexB(packets, null)
  if (size <= 0) return null
  const data = Buffer.allocUnsafeSlow(size)
  writeAnnexB(packets, data)
  return { data, keyframe: packets.some(carriesIdr) }
}

function carriesIdr({ buffer, payloadStart, payloadEnd }: VideoPacket): boolean {
  if (payloadStart >= payloadEnd) return false
  const type = buffer[payloadStart]! & 0x1f
  if (type === FU_A) return payloadEnd > payloadStart + 1 && (buffer[payloadStart + 1]! & 0x1f) === IDR_SLICE
  if (type !== STAP_A) return type === IDR_SLICE
  let at = payloadStart + 1
  while (at + 2 < payloadEnd) {
    if ((buffer[at + 2]! & 0x1f) === IDR_SLICE) return true
    at += 2 + buffer.readUInt16BE(at)
  }
  return false
}

/** Writes all NAL units of the packets into `target`, or only counts. Returns the bytes, or -1 for malformed packets. */
function writeAnnexB(packets: readonly VideoPacket[], target: Buffer | null): number {
  let at = 0
  let inFragment = false
  for (const { buffer, payloadStart, payloadEnd } of packets) {
    if (payloadStart >= payloadEnd) return -1
    const type = buffer[payloadStart]! & 0x1f
    if (type === FU_A) {
      if (payloadEnd - payloadStart <= FU_HEADER_BYTES) return -1
      const head = buffer[payloadStart + 1]!
      if (((head & 0x80) !== 0) === inFragment) return -1
      if (!inFragment) {
        at = writeStart(target, at)
        if (target) target[at] = (buffer[payloadStart]! & 0xe0) | (head & 0x1f)
        at++
      }
      inFragment = (head & 0x40) === 0
      at = writeBytes(target, at, buffer, payloadStart + FU_HEADER_BYTES, payloadEnd)
      continue
    }
    if (inFragment) return -1
    if (type === STAP_A) {
      at = writeAggregate(target, at, buffer, payloadStart, payloadEnd)
      if (at < 0) return -1
    } else if (type >= 1 && type < STAP_A) {
      at = writeBytes(target, writeStart(target, at), buffer, payloadStart, payloadEnd)
    } else {
      return -1
    }
  }
  return inFragment ? -1 : at
}

function writeAggregate(
  target: Buffer | null,
  at: number,
  packet: Buffer,
  start: number,
  end: number,
): number {
  let unit = start + 1
  while (unit < end) {
    if (unit + 2 > end) return -1
    const length = packet.readUInt16BE(unit)
    if (length === 0 || unit + 2 + length > end) return -1
    at = writeBytes(target, writeStart(target, at), packet, unit + 2, unit + 2 + length)
    unit += 2 + length
  }
  return at
}

function writeStart(target: Buffer | null, at: number): number {
  if (target) target.writeUInt32BE(1, at)
  return at + 4
}

function writeBytes(target: Buffer | null, at: number, from: Buffer, start: number, end: number): number {
  if (target) from.copy(target, at, start, end)
  return at + end - start
}

/**
 * Cuts an Annex B access unit into payloads for packetization-mode 1: small NAL units are aggregated (STAP-A), large
 * ones fragmented (FU-A). Delimiters and filler are left out. All fragments of a unit have one size and only the last may be
 * shorter, so that the system can cut them from one large datagram (UDP segmentation offload).
 * @param open gives the place for the next payload
 */
export function packetizeH264(frame: Buffer, maxPayloadBytes: number, open: () => PayloadSlot): void {
  const units = nalUnits(frame)
  let i = 0
  while (i < units.length) {
    const unit = units[i]!
    if (unit.end - unit.start > maxPayloadBytes) {
      fragment(frame, unit, maxPayloadBytes, open)
      i++
      continue
    }
    let last = i
    let bytes = 1
    while (last < units.length && bytes + 2 + units[last]!.end - units[last]!.start <= maxPayloadBytes) {
      bytes += 2 + units[last]!.end - units[last]!.start
      last++
    }
    if (last - i >= 2) {
      aggregate(frame, units.slice(i, last), open())
      i = last
    } else {
      const slot = open()
      slot.length = frame.copy(slot.bytes, slot.start, unit.start, unit.end)
      i++
    }
  }
}

interface NalUnit {
  start: number
  end: number
}

function nalUnits(frame: Buffer): NalUnit[] {
  const units: NalUnit[] = []
  let start = frame.indexOf(START_CODE)
  while (start >= 0) {
    start += START_CODE.length
    const next = frame.indexOf(START_CODE, start)
    let end = next < 0 ? frame.length : next
    // Zero bytes before a start code belong to it (ITU-T H.264, annex B.1).
    while (end > start && frame[end - 1] === 0) end--
    const type = end > start ? frame[start]! & 0x1f : FILLER
    if (type !== ACCESS_UNIT_DELIMITER && type !== FILLER) units.push({ start, end })
    start = next
  }
  return units
}

function aggregate(frame: Buffer, units: NalUnit[], slot: PayloadSlot): void {
  const { bytes, start } = slot
  let at = start + 1
  let importance = 0
  for (const unit of units) {
    importance = Math.max(importance, frame[unit.start]! & 0x60)
    at = bytes.writeUInt16BE(unit.end - unit.start, at)
    at += frame.copy(bytes, at, unit.start, unit.end)
  }
  bytes[start] = importance | STAP_A
  slot.length = at - start
}

function fragment(frame: Buffer, unit: NalUnit, maxPayloadBytes: number, open: () => PayloadSlot): void {
  const head = frame[unit.start]!
  const from = unit.start + 1
  const length = unit.end - from
  const count = Math.ceil(length / (maxPayloadBytes - FU_HEADER_BYTES))
  const part = Math.ceil(length / count)
  for (let i = 0; i < count; i++) {
    const slot = open()
    const { bytes, start } = slot
    bytes[start] = (head & 0xe0) | FU_A
    bytes[start + 1] = (i === 0 ? 0x80 : 0) | (i === count - 1 ? 0x40 : 0) | (head & 0x1f)
    const begin = from + i * part
    const end = Math.min(begin + part, unit.end)
    slot.length = FU_HEADER_BYTES + frame.copy(bytes, start + FU_HEADER_BYTES, begin, end)
  }
}
