import { AV_CODEC_ID_AAC, AV_CODEC_ID_H264, AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import { avChannelLayoutDefault, FormatContext, Packet, Rational, type Stream } from 'node-av/lib'
import { check, setOptions } from './ffmpeg.ts'
import { SAMPLE_RATE } from './opus-decoder.ts'
import { VIDEO_CLOCK_HZ } from './video-encoder.ts'

const VIDEO_TIME_BASE = new Rational(1, VIDEO_CLOCK_HZ)
const AUDIO_TIME_BASE = new Rational(1, SAMPLE_RATE)

/** Packets that may wait for a slow connection, about six seconds. Later ones are dropped. */
const QUEUE_PACKETS = 400

export interface FlvPublisherOptions {
  /** Where to connect to: `rtmp://host:port/`. */
  url: string
  /** What the server is told instead of it, up to the application. */
  tcUrl: string
  /** The application. */
  app: string
  /** What is published. */
  streamName: string
  width: number
  height: number
  fps: number
  /** SPS and PPS, Annex B. */
  videoHeader: Buffer
  /** AudioSpecificConfig. */
  audioHeader: Buffer
}

/**
 * Publishes H264 and mono AAC over RTMP. Only a thread of FFmpeg's `fifo` muxer touches the network. It accepts packets
 * without ever making the caller wait.
 */
export class FlvPublisher {
  readonly #format = new FormatContext()
  readonly #video: Stream
  readonly #audio: Stream
  /** One call at a time goes into the muxer. */
  #work: Promise<void>
  #begun = false
  #failed = false
  #closed: Promise<void> | null = null

  constructor(options: FlvPublisherOptions) {
    const format = this.#format
    check('make a stream', format.allocOutputContext2(null, 'fifo', options.url))
    this.#video = format.newStream(null)
    this.#video.codecpar.codecType = AVMEDIA_TYPE_VIDEO
    this.#video.codecpar.codecId = AV_CODEC_ID_H264
    this.#video.codecpar.width = options.width
    this.#video.codecpar.height = options.height
    this.#video.codecpar.extradata = options.videoHeader
    this.#video.timeBase = VIDEO_TIME_BASE
    this.#video.avgFrameRate = new Rational(options.fps, 1)
    this.#audio = format.newStream(null)
    this.#audio.codecpar.codecType = AVMEDIA_TYPE_AUDIO
    this.#audio.codecpar.codecId = AV_CODEC_ID_AAC
    this.#audio.codecpar.sampleRate = SAMPLE_RATE
    this.#audio.codecpar.channelLayout = avChannelLayoutDefault(1)
    this.#audio.codecpar.frameSize = 1024
    this.#audio.codecpar.extradata = options.audioHeader
    this.#audio.timeBase = AUDIO_TIME_BASE
    setOptions(format, {
      fifo_format: 'flv',
      queue_size: String(QUEUE_PACKETS),
      drop_pkts_on_overflow: '1',
      restart_with_keyframe: '1',
      format_opts: listOptions({
        flvflags: 'no_duration_filesize',
        rtmp_live: 'live',
        rtmp_tcurl: options.tcUrl,
        rtmp_app: options.app,
        rtmp_playpath: options.streamName,
      }),
    })
    this.#work = this.#do(async () => {
      check('begin a stream', await format.writeHeader(null))
      this.#begun = true
    })
  }

  /** @param timestamp and `duration` in 90 kHz; timestamps grow. Copies `data` */
  writeVideo(data: Buffer, timestamp: number, duration: number, keyframe: boolean): void {
    this.#write(this.#video, VIDEO_TIME_BASE, data, timestamp, duration, keyframe)
  }

  /** @param timestamp and `duration` in samples; timestamps grow. Copies `data` */
  writeAudio(data: Buffer, timestamp: number, duration: number): void {
    this.#write(this.#audio, AUDIO_TIME_BASE, data, timestamp, duration, true)
  }

  /** Says goodbye and waits for FFmpeg's thread, which takes as long as its connection is open. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#work.then(() => this.#end())
    return this.#closed
  }

  #write(
    stream: Stream,
    timeBase: Rational,
    data: Buffer,
    timestamp: number,
    duration: number,
    keyframe: boolean,
  ): void {
    if (this.#failed || this.#closed) return
    const packet = new Packet()
    packet.alloc()
    packet.data = data
    packet.streamIndex = stream.index
    packet.pts = BigInt(timestamp)
    packet.dts = BigInt(timestamp)
    packet.duration = BigInt(duration)
    packet.isKeyframe = keyframe
    packet.timeBase = timeBase
    this.#work = this.#work.then(() =>
      this.#do(async () => {
        try {
          packet.rescaleTs(timeBase, stream.timeBase)
          check('write to a stream', await this.#format.interleavedWriteFrame(packet))
        } finally {
          packet.free()
        }
      }),
    )
  }

  /** The relay that carries the connection reports its end and the reason. Here it only means that writing is over. */
  async #do(step: () => Promise<void>): Promise<void> {
    if (this.#failed) return
    try {
      await step()
    } catch {
      this.#failed = true
    }
  }

  async #end(): Promise<void> {
    // Needed after a failure too: this joins FFmpeg's thread.
    if (this.#begun) await this.#format.writeTrailer().catch(() => {})
    this.#format.freeContext()
  }
}

/** Joins options into FFmpeg's `key=value:key=value` form, with separators inside values escaped. */
function listOptions(options: Readonly<Record<string, string>>): string {
  const marked = (value: string) => value.replace(/[\\':=]/g, (character) => `\\${character}`)
  return Object.entries(options)
    .map(([name, value]) => `${name}=${marked(value)}`)
    .join(':')
}
