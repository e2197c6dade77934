import type { VideoPacket } from '../receiving/video-packet.ts'
import type { PayloadSlot } from '../sending/payload-slot.ts'

/** What we put before each payload: extension bit, picture id bit and 15 bits of picture id. */
const SENT_DESCRIPTOR_BYTES = 4
const START_OF_PARTITION = 0x10
const EXTENDED = 0x80

/**
 * Length of the payload descriptor (RFC 7741, section 4.2).
 * @returns -1 where it is cut short
 */
export function vp8DescriptorBytes(packet: Buffer, start: number, end: number): number {
  if (start >= end) return -1
  let offset = start + 1
  if (packet[start]! & EXTENDED) {
    if (offset >= end) return -1
    const extension = packet[offset++]!
    if (extension & 0x80) {
      if (offset >= end) return -1
      offset += packet[offset]! & 0x80 ? 2 : 1
    }
    if (extension & 0x40) offset++
    if (extension & 0x30) offset++
  }
  return offset < end ? offset - start : -1
}

/** Whether the packet begins a frame: start of partition 0. */
export function vp8StartsFrame(packet: Buffer, start: number, end: number): boolean {
  return start < end && (packet[start]! & (START_OF_PARTITION | 0x07)) === START_OF_PARTITION
}

/** Whether the packet begins a keyframe (RFC 6386, section 9.1: the lowest bit of the frame tag is 0). */
export function vp8StartsKeyframe(packet: Buffer, start: number, end: number): boolean {
  if (!vp8StartsFrame(packet, start, end)) return false
  const descriptor = vp8DescriptorBytes(packet, start, end)
  return descriptor > 0 && (packet[start + descriptor]! & 1) === 0
}

/**
 * Puts a frame together.
 * @param packets all of the frame, in order
 * @returns null where they are not a frame
 */
export function assembleVp8(packets: readonly VideoPacket[]): { data: Buffer; keyframe: boolean } | null {
  const first = packets[0]
  if (!first || !vp8StartsFrame(first.buffer, first.payloadStart, first.payloadEnd)) return null
  let size = 0
  for (const { buffer, payloadStart, payloadEnd } of packets) {
    const descriptor = vp8DescriptorBytes(buffer, payloadStart, payloadEnd)
    if (descriptor < 0) return null
    size += payloadEnd - payloadStart - descriptor
  }
  const data = Buffer.allocUnsafeSlow(size)
  let at = 0
  for (const { buffer, payloadStart, payloadEnd } of packets) {
    const descriptor = vp8DescriptorBytes(buffer, payloadStart, payloadEnd)
    at += buffer.copy(data, at, payloadStart + descriptor, payloadEnd)
  }
  return { data, keyframe: (data[0]! & 1) === 0 }
}

/**
 * Cuts a frame into payloads of one size, of which only the last may be shorter, so that the system can cut them from one
 * large datagram (UDP segmentation offload).
 * @param pictureId counts frames, modulo 2^15
 * @param open gives the place for the next payload
 */
export function packetizeVp8(
  frame: Buffer,
  pictureId: number,
  maxPayloadBytes: number,
  open: () => PayloadSlot,
): void {
  const room = maxPayloadBytes - SENT_DESCRIPTOR_BYTES
  const count = Math.ceil(frame.length / room)
  const part = Math.ceil(frame.length / count)
  for (let i = 0; i < count; i++) {
    const from = i * part
    const to = Math.min(from + part, frame.length)
    const slot = open()
    const { bytes, start } = slot
    bytes[start] = EXTENDED | (i === 0 ? START_OF_PARTITION : 0)
    bytes[start + 1] = 0x80
    bytes[start + 2] = 0x80 | ((pictureId >> 8) & 0x7f)
    bytes[start + 3] = pictureId & 0xff
    slot.length = SENT_DESCRIPTOR_BYTES + frame.copy(bytes, start + SENT_DESCRIPTOR_BYTES, from, to)
  }
}
