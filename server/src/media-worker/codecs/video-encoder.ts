import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PICTURE_TYPE_I,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_YUV420P,
  AVCOL_PRI_BT709,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_SMPTE170M,
  AVCOL_TRC_BT709,
  FF_ENCODER_LIBVPX_VP8,
  FF_ENCODER_LIBX264,
} from 'node-av/constants'
import { type CodecContext, Packet, Rational } from 'node-av/lib'
import type { VideoCodec } from '../media-types.ts'
import { allocateEncoder, check, openCodec } from './ffmpeg.ts'
import type { Picture } from './picture.ts'

/** Ticks per second of every video timestamp here, as in RTP (RFC 6184, RFC 7741). */
export const VIDEO_CLOCK_HZ = 90_000
/** Keyframes come on demand; this only bounds how long a decoder could wait if every demand were lost. */
const LONGEST_KEYFRAME_DISTANCE_S = 60

export interface VideoEncoderOptions {
  width: number
  height: number
  fps: number
  bitrateBps: number
  /**
   * Over how much time the bitrate holds, 1 s by default. Less makes keyframes smaller, and coarser.
   */
  bufferSeconds?: number
  /** With less work for each picture, which looks coarser at the same bitrate. Default false. */
  isFast?: boolean
  /** How many cores may encode one picture in H264, each a slice of it. Default 1. */
  slices?: number
}

/** Takes one encoded picture; `data` is lent for the call. */
export type VideoPacketSink = (data: Buffer, keyframe: boolean) => void

/**
 * - superfast: SSIM .954 at 1.5 Mbit/s for 720p20, for less CPU than VP8's .941.
 * - zerolatency: each picture comes out of the call that put it in.
 * - sc_threshold 0: a new layout must not make a keyframe that nobody asked for.
 */
const X264_OPTIONS = {
  preset: 'superfast',
  tune: 'zerolatency',
  profile: 'baseline',
  'forced-idr': '1',
  sc_threshold: '0',
}
const VPX_OPTIONS = {
  deadline: 'realtime',
  'cpu-used': '-8',
  'lag-in-frames': '0',
  'error-resilient': '1',
  'static-thresh': '1',
}

const OPTIONS = {
  H264: { usual: X264_OPTIONS, fast: { ...X264_OPTIONS, preset: 'ultrafast' } },
  VP8: { usual: VPX_OPTIONS, fast: { ...VPX_OPTIONS, 'cpu-used': '-16' } },
}

/**
 * Encodes the composed picture: libx264 constrained baseline, or libvpx VP8. No delay. It holds its thread
 * for about 5 ms at 720p, while threads of libx264 make the other slices, if there are any. FFmpeg could do it in Node's thread pool, but there it would wait behind slow disks, and an encoder
 * or a picture that is freed meanwhile takes the process down.
 */
export class VideoEncoder {
  readonly codec: VideoCodec
  readonly #bufferSeconds: number
  #context: CodecContext | null
  readonly #packet = new Packet()
  /** SPS and PPS with start codes; empty for VP8. */
  readonly #parameterSets: Buffer
  /** Where a keyframe is put together with its parameter sets. */
  #keyframe = Buffer.alloc(0)
  #delivering = false
  #closeWanted = false

  constructor(codec: VideoCodec, options: VideoEncoderOptions) {
    const encoder = allocateEncoder(codec === 'H264' ? FF_ENCODER_LIBX264 : FF_ENCODER_LIBVPX_VP8)
    configure(encoder.context, options)
    if (codec === 'H264') {
      encoder.context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER)
      // With the tune zerolatency its threads share a picture. Otherwise each would have its own, and add a delay.
      encoder.context.threadCount = options.slices ?? 1
    }
    openCodec(encoder.codec, encoder.context, OPTIONS[codec][options.isFast ? 'fast' : 'usual'])
    this.codec = codec
    this.#bufferSeconds = options.bufferSeconds ?? 1
    this.#context = encoder.context
    this.#packet.alloc()
    // Copied: the context's own memory goes with it.
    this.#parameterSets = codec === 'H264' ? Buffer.from(encoder.context.extraData ?? []) : Buffer.alloc(0)
  }

  /** Changes the rate from the next picture on. libvpx ignores that: close a VP8 encoder and make another. */
  setBitrate(bitrateBps: number): void {
    setRate(this.#open(), bitrateBps, this.#bufferSeconds)
  }

  /**
   * @param picture of the encoder's size; read during the call only
   * @param timestamp 90 kHz, larger than the one before
   * @throws CodecError when the encoder fails; it cannot be used afterwards
   */
  encode(picture: Picture, timestamp: number, forceKeyframe: boolean, sink: VideoPacketSink): void {
    const context = this.#open()
    // A frame that is not as large as the encoder believes is read past its end.
    if (picture.width !== context.width || picture.height !== context.height)
      throw new RangeError(
        `a ${context.width}x${context.height} encoder was given ${picture.width}x${picture.height}`,
      )
    const frame = picture.frame
    frame.pts = BigInt(timestamp)
    frame.pictType = forceKeyframe ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
    check(`encode ${this.codec}`, context.sendFrameSync(frame))
    this.#delivering = true
    try {
      while (!this.#closeWanted && context.receivePacketSync(this.#packet) >= 0) {
        this.#deliver(sink)
        this.#packet.unref()
      }
    } finally {
      this.#delivering = false
      this.#packet.unref()
      if (this.#closeWanted) this.close()
    }
  }

  /** Idempotent. From within a sink it takes effect when that returns: the packet on loan lives in here. */
  close(): void {
    if (this.#delivering) {
      this.#closeWanted = true
      return
    }
    if (!this.#context) return
    this.#context.freeContext()
    this.#context = null
    this.#packet.free()
  }

  #deliver(sink: VideoPacketSink): void {
    const data = this.#packet.data
    if (!data) return
    const keyframe = this.#packet.isKeyframe
    sink(keyframe && this.codec === 'H264' ? this.#withParameterSets(data) : data, keyframe)
  }

  /** Sent in band before each keyframe, so that a browser that joins or lost packets needs nothing else (RFC 6184 section 8.4). */
  #withParameterSets(data: Buffer): Buffer {
    const length = this.#parameterSets.length + data.length
    if (this.#keyframe.length < length) this.#keyframe = Buffer.alloc(length * 2)
    this.#parameterSets.copy(this.#keyframe)
    data.copy(this.#keyframe, this.#parameterSets.length)
    return this.#keyframe.subarray(0, length)
  }

  #open(): CodecContext {
    if (!this.#context || this.#closeWanted) throw new Error('encoder used after it was closed')
    return this.#context
  }
}

function configure(context: CodecContext, options: VideoEncoderOptions): void {
  context.width = options.width
  context.height = options.height
  context.pixelFormat = AV_PIX_FMT_YUV420P
  context.timeBase = new Rational(1, VIDEO_CLOCK_HZ)
  context.framerate = new Rational(options.fps, 1)
  context.gopSize = options.fps * LONGEST_KEYFRAME_DISTANCE_S
  context.maxBFrames = 0
  context.colorRange = AVCOL_RANGE_MPEG
  context.colorSpace = AVCOL_SPC_SMPTE170M
  context.colorPrimaries = AVCOL_PRI_BT709
  context.colorTrc = AVCOL_TRC_BT709
  setRate(context, options.bitrateBps, options.bufferSeconds ?? 1)
}

function setRate(context: CodecContext, bitrateBps: number, bufferSeconds: number): void {
  context.bitRate = BigInt(Math.round(bitrateBps))
  context.rcMaxRate = BigInt(Math.round(bitrateBps))
  context.rcBufferSize = Math.round(bitrateBps * bufferSeconds)
}
