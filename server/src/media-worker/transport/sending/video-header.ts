import { ntpMsOf } from '../rtp/ntp.ts'

/** Fixed RTP header, and one header extension of three bytes with its frame (RFC 8285). */
export const VIDEO_HEADER_BYTES = 20

/** Writes what is the same for every browser. */
export function prepareVideoHeader(bytes: Buffer): void {
  bytes[0] = 0x90
  bytes[12] = 0xbe
  bytes[13] = 0xde
  bytes[14] = 0
  bytes[15] = 1
}

/** Now, as the abs-send-time header extension has it: 24 bits, 6.18 fixed point seconds. */
export function absoluteSendTime(nowMs: number): number {
  return Math.floor((ntpMsOf(nowMs) % 64_000) * 262.144) & 0xffffff
}

/**
 * Writes what differs from browser to browser. Plain byte writes, for this runs once for every packet and browser.
 * @param extensionId negotiated id of abs-send-time, or 0 where there is none; padding then fills its place
 */
export function writeVideoHeader(
  bytes: Buffer,
  payloadType: number,
  marker: boolean,
  sequence: number,
  timestamp: number,
  ssrc: number,
  extensionId: number,
  sendTime: number,
): void {
  bytes[1] = marker ? payloadType | 0x80 : payloadType
  bytes[2] = sequence >> 8
  bytes[3] = sequence
  bytes[4] = timestamp >>> 24
  bytes[5] = timestamp >>> 16
  bytes[6] = timestamp >>> 8
  bytes[7] = timestamp
  bytes[8] = ssrc >>> 24
  bytes[9] = ssrc >>> 16
  bytes[10] = ssrc >>> 8
  bytes[11] = ssrc
  if (extensionId > 0) {
    bytes[16] = (extensionId << 4) | 2
    bytes[17] = sendTime >> 16
    bytes[18] = sendTime >> 8
    bytes[19] = sendTime
  } else {
    bytes[16] = bytes[17] = bytes[18] = bytes[19] = 0
  }
}
