import { AV_CODEC_ID_AAC, AV_CODEC_ID_H264, AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import { avChannelLayoutDefault, type FormatContext, Packet, Rational, type Stream } from 'node-av/lib'
import { SAMPLE_RATE } from './opus-decoder.ts'
import { VIDEO_CLOCK_HZ } from './video-encoder.ts'

export const VIDEO_TIME_BASE = new Rational(1, VIDEO_CLOCK_HZ)
export const AUDIO_TIME_BASE = new Rational(1, SAMPLE_RATE)

/** What the tracks of an MP4 are. */
export interface TrackOptions {
  width: number
  height: number
  fps: number
  /** SPS and PPS, Annex B. */
  videoHeader: Buffer
  /** AudioSpecificConfig; null for a file without sound. */
  audioHeader: Buffer | null
}

/** Adds a track of H264, and one of mono AAC, to an MP4 that is not written yet. */
export function addTracks(
  format: FormatContext,
  { width, height, fps, videoHeader, audioHeader }: TrackOptions,
): { video: Stream; audio: Stream | null } {
  const video = format.newStream(null)
  video.codecpar.codecType = AVMEDIA_TYPE_VIDEO
  video.codecpar.codecId = AV_CODEC_ID_H264
  video.codecpar.width = width
  video.codecpar.height = height
  video.codecpar.extradata = videoHeader
  video.timeBase = VIDEO_TIME_BASE
  video.avgFrameRate = new Rational(fps, 1)
  return { video, audio: audioHeader && addSound(format, audioHeader) }
}

function addSound(format: FormatContext, header: Buffer): Stream {
  const audio = format.newStream(null)
  audio.codecpar.codecType = AVMEDIA_TYPE_AUDIO
  audio.codecpar.codecId = AV_CODEC_ID_AAC
  audio.codecpar.sampleRate = SAMPLE_RATE
  audio.codecpar.channelLayout = avChannelLayoutDefault(1)
  audio.codecpar.frameSize = 1024
  audio.codecpar.extradata = header
  audio.timeBase = AUDIO_TIME_BASE
  return audio
}

/** A packet of a track, to be freed by whoever takes it. Copies `data`. */
export function newPacket(
  streamIndex: number,
  data: Buffer,
  timestamp: number,
  duration: number,
  keyframe: boolean,
  timeBase: Rational,
): Packet {
  const packet = new Packet()
  packet.alloc()
  packet.data = data
  packet.streamIndex = streamIndex
  packet.pts = BigInt(timestamp)
  packet.dts = BigInt(timestamp)
  packet.duration = BigInt(duration)
  packet.isKeyframe = keyframe
  packet.timeBase = timeBase
  return packet
}
