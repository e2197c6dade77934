import type { EncodedAudioPacket, EncodedVideoFrame, VideoEncoding } from '../media-types.ts'
import type { ViewerMix } from '../mixer/audio-mixer.ts'
import { newMessage } from './message-reader.ts'

/**
 * What passes between the worker that mixes a room and one that serves viewers of it. Numbers are big-endian; times are
 * `performance.now()` of the worker that mixes, as 64-bit floating point, and so are unbounded RTP timestamps.
 */

/** Raised with each change of the messages. Both sides must have the same. */
export const FEED_VERSION = 2

/** Types of messages. Those below 16 belong to the greeting (`feed-greeting.ts`). */
export const MESSAGE = {
  challenge: 1,
  proof: 2,
  welcome: 3,
  /** From the mixing to the serving worker. */
  picture: 16,
  sound: 17,
  mark: 18,
  /** From the serving to the mixing worker. */
  take: 32,
  leave: 33,
  keyframe: 34,
  hear: 35,
  unhear: 36,
  marked: 37,
  limit: 38,
} as const

/** Encoded streams of the picture. Their number on the wire is their place here. */
export const PICTURE_STREAMS: readonly VideoEncoding[] = ['H264', 'VP8', 'H264-small']

/** Larger than any picture. */
export const MOST_DOWN_BYTES = 8 * 2 ** 20
/** The serving worker asks only for something. */
export const MOST_UP_BYTES = 64

const PICTURE_HEADER_BYTES = 18
const SOUND_HEADER_BYTES = 18
/** Encoders make nothing of less. */
const LEAST_LIMIT_BPS = 50_000
const VOLUME_OFFSET = 128

/** Stream, whether it is a keyframe, RTP timestamp, time of capture, data. */
export function writePicture({
  encoding,
  keyframe,
  rtpTimestamp,
  capturedAtMs,
  data,
}: EncodedVideoFrame): Buffer {
  const { message, at } = newMessage(MESSAGE.picture, PICTURE_HEADER_BYTES + data.length)
  message[at] = PICTURE_STREAMS.indexOf(encoding)
  message[at + 1] = keyframe ? 1 : 0
  message.writeDoubleBE(rtpTimestamp, at + 2)
  message.writeDoubleBE(capturedAtMs, at + 10)
  data.copy(message, at + PICTURE_HEADER_BYTES)
  return message
}

/** Fills `frame`; its data is a part of `body`. @throws RangeError */
export function readPicture(body: Buffer, frame: EncodedVideoFrame): void {
  frame.encoding = readStream(body)
  frame.keyframe = body.readUInt8(1) === 1
  frame.rtpTimestamp = finite(body.readDoubleBE(2))
  frame.capturedAtMs = finite(body.readDoubleBE(10))
  frame.data = body.subarray(PICTURE_HEADER_BYTES)
}

/** Number of the mix, RTP timestamp, time of capture, payload. */
export function writeSound(
  mixId: number,
  { payload, rtpTimestamp, capturedAtMs }: EncodedAudioPacket,
): Buffer {
  const { message, at } = newMessage(MESSAGE.sound, SOUND_HEADER_BYTES + payload.length)
  message.writeUInt16BE(mixId, at)
  message.writeDoubleBE(rtpTimestamp, at + 2)
  message.writeDoubleBE(capturedAtMs, at + 10)
  payload.copy(message, at + SOUND_HEADER_BYTES)
  return message
}

/** Fills `packet`; its payload is a part of `body`. @returns the number of the mix @throws RangeError */
export function readSound(body: Buffer, packet: EncodedAudioPacket): number {
  packet.rtpTimestamp = finite(body.readDoubleBE(2))
  packet.capturedAtMs = finite(body.readDoubleBE(10))
  packet.payload = body.subarray(SOUND_HEADER_BYTES)
  return body.readUInt16BE(0)
}

/** A stream that is wanted, not wanted any more, or wanted with a keyframe. */
export function writeStreamRequest(type: 'take' | 'leave' | 'keyframe', encoding: VideoEncoding): Buffer {
  const { message, at } = newMessage(MESSAGE[type], 1)
  message[at] = PICTURE_STREAMS.indexOf(encoding)
  return message
}

/** @throws RangeError for a stream that there is not */
export function readStream(body: Buffer): VideoEncoding {
  const stream = PICTURE_STREAMS[body.readUInt8(0)]
  if (!stream) throw new RangeError('no such stream')
  return stream
}

/** What the slowest viewer of a stream can take: stream, bit/s. */
export function writeLimit(encoding: VideoEncoding, bitrateBps: number): Buffer {
  const { message, at } = newMessage(MESSAGE.limit, 5)
  message[at] = PICTURE_STREAMS.indexOf(encoding)
  message.writeUInt32BE(Math.round(bitrateBps), at + 1)
  return message
}

/** @throws RangeError */
export function readLimit(body: Buffer): { encoding: VideoEncoding; bitrateBps: number } {
  const bitrateBps = body.readUInt32BE(1)
  if (bitrateBps < LEAST_LIMIT_BPS) throw new RangeError('no such bitrate')
  return { encoding: readStream(body), bitrateBps }
}

/** A mix that is wanted. The serving worker numbers them. */
export function writeHear(mixId: number, { deaf, volume, lossPercent }: ViewerMix): Buffer {
  const { message, at } = newMessage(MESSAGE.hear, 5)
  message.writeUInt16BE(mixId, at)
  message[at + 2] = deaf ? 1 : 0
  message[at + 3] = Math.round(volume) + VOLUME_OFFSET
  message[at + 4] = lossPercent
  return message
}

/** @throws RangeError */
export function readHear(body: Buffer): ViewerMix & { mixId: number } {
  const volume = body.readUInt8(3) - VOLUME_OFFSET
  const lossPercent = body.readUInt8(4)
  if (Math.abs(volume) > 50 || lossPercent > 100) throw new RangeError('no such mix')
  return { mixId: body.readUInt16BE(0), deaf: body.readUInt8(2) === 1, volume, lossPercent }
}

/** A mix that is not wanted any more. */
export function writeUnhear(mixId: number): Buffer {
  const { message, at } = newMessage(MESSAGE.unhear, 2)
  message.writeUInt16BE(mixId, at)
  return message
}

/** Asks to be told by `marked` once everything before it was read. */
export function writeMark(type: 'mark' | 'marked'): Buffer {
  return newMessage(MESSAGE[type], 0).message
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError('not a number')
  return value
}
