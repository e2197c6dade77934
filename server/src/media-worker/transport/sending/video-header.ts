import { ntpMsOf } from '../rtp/ntp.ts'

/** Fixed RTP header, and two header extensions of three bytes with their frame (RFC 8285). */
export const VIDEO_HEADER_BYTES = 24
/** The longest delay that a browser may choose by itself: what Chromium does where it is told nothing. */
const MOST_PLAYOUT_DELAY_MS = 10_000
const PLAYOUT_UNIT_MS = 10

/** Where abs-send-time or the transport-wide number stands. */
export const VIDEO_TIMING_AT = 16

/** Writes what is the same for every browser. */
export function prepareVideoHeader(bytes: Buffer): void {
  bytes[0] = 0x90
  bytes[12] = 0xbe
  bytes[13] = 0xde
  bytes[14] = 0
  bytes[15] = 2
}

/** Now, as the abs-send-time header extension has it: 24 bits, 6.18 fixed point seconds. */
export function absoluteSendTime(nowMs: number): number {
  return Math.floor((ntpMsOf(nowMs) % 64_000) * 262.144) & 0xffffff
}

/**
 * How long a browser should delay pictures at least, as the playout-delay header extension has it: the least and the longest
 * delay, 12 bits each, in units of 10 ms.
 */
export function playoutDelay(leastMs: number): number {
  return (Math.round(leastMs / PLAYOUT_UNIT_MS) << 12) | (MOST_PLAYOUT_DELAY_MS / PLAYOUT_UNIT_MS)
}

/**
 * Writes what differs from browser to browser. Plain byte writes, for this runs once for every packet and browser.
 * @param sendTimeId negotiated id of abs-send-time, or 0 where there is none; padding then fills its place
 * @param playoutDelayId the same of playout-delay; 0 also where nothing is to be said of it
 */
export function writeVideoHeader(
  bytes: Buffer,
  payloadType: number,
  marker: boolean,
  sequence: number,
  timestamp: number,
  ssrc: number,
  sendTimeId: number,
  sendTime: number,
  playoutDelayId = 0,
  playout = 0,
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
  writeExtension(bytes, VIDEO_TIMING_AT, sendTimeId, sendTime)
  writeExtension(bytes, 20, playoutDelayId, playout)
}

/** @param value 24 bits */
function writeExtension(bytes: Buffer, at: number, id: number, value: number): void {
  if (id > 0) {
    bytes[at] = (id << 4) | 2
    bytes[at + 1] = value >> 16
    bytes[at + 2] = value >> 8
    bytes[at + 3] = value
  } else {
    bytes[at] = bytes[at + 1] = bytes[at + 2] = bytes[at + 3] = 0
  }
}
