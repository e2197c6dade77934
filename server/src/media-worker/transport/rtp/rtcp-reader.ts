import { type ArrivalReport, readArrivalReport } from './arrival-report.ts'
import { ntpMsFromWords } from './ntp.ts'

/** One report block of a sender or receiver report (RFC 3550, section 6.4.1). */
export interface ReportBlock {
  /** The stream reported on. */
  ssrc: number
  /** Share lost since the report before, 0 to 1. */
  fractionLost: number
  highestSequence: number
  /** In units of the stream's clock. */
  jitter: number
  /** Middle 32 bits of the NTP time of the last sender report; 0 when there was none. */
  lastSenderReport: number
  /** Since then, in units of 1/65536 s. */
  delaySinceLastSenderReport: number
}

/** What {@link readRtcp} calls for each thing it finds. Objects passed are lent for the length of the call. */
export interface RtcpHandler {
  /** @param ntpMs milliseconds since the NTP epoch; `ntpCompact` its middle 32 bits */
  onSenderReport(ssrc: number, ntpMs: number, ntpCompact: number, rtpTimestamp: number): void
  onReportBlock(block: ReportBlock): void
  /** Generic NACK (RFC 4585, section 6.2.1), once per missing packet. */
  onNack(mediaSsrc: number, sequence: number): void
  /** Picture loss indication or full intra request. */
  onKeyframeRequest(mediaSsrc: number): void
  /** Receiver estimated maximum bitrate (draft-alvestrand-rmcat-remb). */
  onEstimatedBitrate(bitrateBps: number): void
  /** Transport-wide congestion control feedback. */
  onArrivals(report: ArrivalReport): void
  onBye(ssrc: number): void
}

const SENDER_REPORT = 200
const RECEIVER_REPORT = 201
const BYE = 203
const TRANSPORT_FEEDBACK = 205
const PAYLOAD_FEEDBACK = 206
/** Formats of transport feedback. */
const GENERIC_NACK = 1
const ARRIVALS = 15
const REPORT_BLOCK_BYTES = 24
const REMB_IDENTIFIER = 0x52454d42

const block: ReportBlock = {
  ssrc: 0,
  fractionLost: 0,
  highestSequence: 0,
  jitter: 0,
  lastSenderReport: 0,
  delaySinceLastSenderReport: 0,
}

/** Reads a compound RTCP packet. What is cut short, unknown or wrong is passed over; it never throws. */
export function readRtcp(packet: Buffer, handler: RtcpHandler): void {
  let start = 0
  while (start + 8 <= packet.length) {
    if (packet[start]! >> 6 !== 2) return
    const end = start + 4 + 4 * packet.readUInt16BE(start + 2)
    if (end > packet.length) return
    if (end >= start + 8) readOne(packet, start, end, handler)
    start = end
  }
}

function readOne(packet: Buffer, start: number, end: number, handler: RtcpHandler): void {
  const count = packet[start]! & 0x1f
  switch (packet[start + 1]) {
    case SENDER_REPORT:
      if (end < start + 28) return
      readSenderReport(packet, start, handler)
      readReportBlocks(packet, start + 28, end, count, handler)
      return
    case RECEIVER_REPORT:
      readReportBlocks(packet, start + 8, end, count, handler)
      return
    case BYE:
      for (let i = 0, at = start + 4; i < count && at + 4 <= end; i++, at += 4) {
        handler.onBye(packet.readUInt32BE(at))
      }
      return
    case TRANSPORT_FEEDBACK:
      if (count === GENERIC_NACK) readNack(packet, start, end, handler)
      else if (count === ARRIVALS) readArrivals(packet, start, end, handler)
      return
    case PAYLOAD_FEEDBACK:
      readPayloadFeedback(packet, start, end, count, handler)
  }
}

function readSenderReport(packet: Buffer, start: number, handler: RtcpHandler): void {
  const ntpMs = ntpMsFromWords(packet.readUInt32BE(start + 8), packet.readUInt32BE(start + 12))
  const compact = packet.readUInt32BE(start + 10)
  handler.onSenderReport(packet.readUInt32BE(start + 4), ntpMs, compact, packet.readUInt32BE(start + 16))
}

function readReportBlocks(
  packet: Buffer,
  start: number,
  end: number,
  count: number,
  handler: RtcpHandler,
): void {
  for (let i = 0, at = start; i < count && at + REPORT_BLOCK_BYTES <= end; i++, at += REPORT_BLOCK_BYTES) {
    block.ssrc = packet.readUInt32BE(at)
    block.fractionLost = packet[at + 4]! / 256
    block.highestSequence = packet.readUInt32BE(at + 8)
    block.jitter = packet.readUInt32BE(at + 12)
    block.lastSenderReport = packet.readUInt32BE(at + 16)
    block.delaySinceLastSenderReport = packet.readUInt32BE(at + 20)
    handler.onReportBlock(block)
  }
}

function readNack(packet: Buffer, start: number, end: number, handler: RtcpHandler): void {
  if (end < start + 16) return
  const ssrc = packet.readUInt32BE(start + 8)
  for (let at = start + 12; at + 4 <= end; at += 4) {
    const first = packet.readUInt16BE(at)
    const mask = packet.readUInt16BE(at + 2)
    handler.onNack(ssrc, first)
    for (let bit = 0; bit < 16; bit++) {
      if ((mask >> bit) & 1) handler.onNack(ssrc, (first + bit + 1) & 0xffff)
    }
  }
}

function readArrivals(packet: Buffer, start: number, end: number, handler: RtcpHandler): void {
  const report = readArrivalReport(packet, start, end)
  if (report) handler.onArrivals(report)
}

function readPayloadFeedback(
  packet: Buffer,
  start: number,
  end: number,
  format: number,
  handler: RtcpHandler,
): void {
  if (end < start + 12) return
  if (format === 1) {
    handler.onKeyframeRequest(packet.readUInt32BE(start + 8))
  } else if (format === 4) {
    // RFC 5104, section 4.3.1: the media sources are named in the entries.
    for (let at = start + 12; at + 8 <= end; at += 8) handler.onKeyframeRequest(packet.readUInt32BE(at))
  } else if (format === 15 && end >= start + 20 && packet.readUInt32BE(start + 12) === REMB_IDENTIFIER) {
    const exponent = packet[start + 17]! >> 2
    const mantissa = ((packet[start + 17]! & 3) << 16) | packet.readUInt16BE(start + 18)
    handler.onEstimatedBitrate(mantissa * 2 ** exponent)
  }
}
