import { ntpWordsOf } from './ntp.ts'

/** What a report block says of a stream we receive (RFC 3550, section 6.4.1). */
export interface OutgoingReportBlock {
  ssrc: number
  /** 0 to 255: share lost since the last report, in 1/256. */
  fractionLost: number
  /** Since the beginning, clamped to 24 bits signed. */
  cumulativeLost: number
  extendedHighestSequence: number
  /** In units of the stream's clock. */
  jitter: number
  lastSenderReport: number
  delaySinceLastSenderReport: number
}

/** What a sender report says of a stream we send. */
export interface SenderInfo {
  /** Milliseconds since the NTP epoch. */
  ntpMs: number
  /** The same moment on the stream's clock. */
  rtpTimestamp: number
  packetCount: number
  octetCount: number
}

function header(packet: Buffer, count: number, type: number, start = 0, end = packet.length): void {
  packet[start] = 0x80 | count
  packet[start + 1] = type
  packet.writeUInt16BE((end - start) / 4 - 1, start + 2)
}

/**
 * A sender report (with `sender`) or a receiver report (without), followed by the source description that every
 * compound packet has to carry (RFC 3550, section 6.1).
 * @param blocks at most 31
 * @param cname ASCII, at most 255 characters
 */
export function writeReport(
  ssrc: number,
  sender: SenderInfo | null,
  blocks: OutgoingReportBlock[],
  cname: string,
): Buffer {
  const reportBytes = (sender ? 28 : 8) + 24 * blocks.length
  // The list of items ends with at least one zero and is filled up to a whole word.
  const descriptionBytes = 8 + 4 * Math.ceil((2 + cname.length + 1) / 4)
  const packet = Buffer.alloc(reportBytes + descriptionBytes)
  header(packet, blocks.length, sender ? 200 : 201, 0, reportBytes)
  packet.writeUInt32BE(ssrc, 4)
  if (sender) writeSenderInfo(packet, sender)
  blocks.forEach((block, index) => {
    writeReportBlock(packet, (sender ? 28 : 8) + 24 * index, block)
  })
  header(packet, 1, 202, reportBytes)
  packet.writeUInt32BE(ssrc, reportBytes + 4)
  packet[reportBytes + 8] = 1
  packet[reportBytes + 9] = cname.length
  packet.write(cname, reportBytes + 10, 'latin1')
  return packet
}

function writeSenderInfo(packet: Buffer, sender: SenderInfo): void {
  const { seconds, fraction } = ntpWordsOf(sender.ntpMs)
  packet.writeUInt32BE(seconds, 8)
  packet.writeUInt32BE(fraction, 12)
  packet.writeUInt32BE(sender.rtpTimestamp >>> 0, 16)
  packet.writeUInt32BE(sender.packetCount >>> 0, 20)
  packet.writeUInt32BE(sender.octetCount >>> 0, 24)
}

function writeReportBlock(packet: Buffer, at: number, block: OutgoingReportBlock): void {
  packet.writeUInt32BE(block.ssrc, at)
  packet[at + 4] = block.fractionLost
  packet.writeIntBE(Math.max(-0x800000, Math.min(0x7fffff, block.cumulativeLost)), at + 5, 3)
  packet.writeUInt32BE(block.extendedHighestSequence >>> 0, at + 8)
  packet.writeUInt32BE(Math.min(0xffffffff, Math.round(block.jitter)), at + 12)
  packet.writeUInt32BE(block.lastSenderReport, at + 16)
  packet.writeUInt32BE(block.delaySinceLastSenderReport, at + 20)
}

/** Picture loss indication (RFC 4585, section 6.3.1). */
export function writePictureLoss(senderSsrc: number, mediaSsrc: number): Buffer {
  const packet = Buffer.alloc(12)
  header(packet, 1, 206)
  packet.writeUInt32BE(senderSsrc, 4)
  packet.writeUInt32BE(mediaSsrc, 8)
  return packet
}

/**
 * Generic NACK (RFC 4585, section 6.2.1).
 * @param sequences missing sequence numbers in ascending order (modulo 2^16), at least one
 */
export function writeNack(senderSsrc: number, mediaSsrc: number, sequences: readonly number[]): Buffer {
  const entries: { first: number; mask: number }[] = []
  for (const sequence of sequences) {
    const last = entries.at(-1)
    const distance = last ? (sequence - last.first) & 0xffff : 0
    if (last && distance >= 1 && distance <= 16) last.mask |= 1 << (distance - 1)
    else entries.push({ first: sequence & 0xffff, mask: 0 })
  }
  const packet = Buffer.alloc(12 + 4 * entries.length)
  header(packet, 1, 205)
  packet.writeUInt32BE(senderSsrc, 4)
  packet.writeUInt32BE(mediaSsrc, 8)
  entries.forEach(({ first, mask }, index) => {
    packet.writeUInt16BE(first, 12 + 4 * index)
    packet.writeUInt16BE(mask, 14 + 4 * index)
  })
  return packet
}

/** Receiver estimated maximum bitrate (draft-alvestrand-rmcat-remb, section 2.2). */
export function writeEstimatedBitrate(
  senderSsrc: number,
  bitrateBps: number,
  mediaSsrcs: readonly number[],
): Buffer {
  const packet = Buffer.alloc(20 + 4 * mediaSsrcs.length)
  header(packet, 15, 206)
  packet.writeUInt32BE(senderSsrc, 4)
  packet.write('REMB', 12, 'latin1')
  let exponent = 0
  let mantissa = Math.max(0, Math.round(bitrateBps))
  while (mantissa > 0x3ffff) {
    mantissa = Math.floor(mantissa / 2)
    exponent++
  }
  packet[16] = mediaSsrcs.length
  packet[17] = (exponent << 2) | (mantissa >> 16)
  packet.writeUInt16BE(mantissa & 0xffff, 18)
  mediaSsrcs.forEach((ssrc, index) => {
    packet.writeUInt32BE(ssrc, 20 + 4 * index)
  })
  return packet
}
