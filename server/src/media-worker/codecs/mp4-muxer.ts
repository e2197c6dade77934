import { FormatContext, type Packet, type Stream } from 'node-av/lib'
import { CodecError, check, setOptions } from './ffmpeg.ts'
import { AUDIO_TIME_BASE, addTracks, newPacket, type TrackOptions, VIDEO_TIME_BASE } from './mp4-tracks.ts'

/**
 * The file is fragmented while it grows, so that it can be played up to its last whole fragment whatever happens to the
 * process. At the end the index is appended and one header overwritten, which makes it an ordinary MP4 at no cost
 * (FFmpeg formats manual, "mov/mp4 muxers", `hybrid_fragmented`).
 */
const MUXER_OPTIONS = {
  movflags: 'hybrid_fragmented+empty_moov+default_base_moof',
  /** Microseconds. */
  frag_duration: '500000',
  flush_packets: '1',
}
/** A disk that is this far behind does not catch up. */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024

export interface Mp4MuxerOptions extends TrackOptions {
  /** Absolute path. An existing file is overwritten. */
  file: string
  /** The header and a first packet are written. */
  onFirstPacket?: () => void
  /** Writing has failed. Called once; nothing is written after it. */
  onError: (error: Error) => void
}

/**
 * Writes one MP4 of H264 and mono AAC, or of H264 alone. Only FFmpeg's own threads touch the disk, one packet at a time, in
 * order: a slow disk makes the queue grow, and the caller never waits.
 */
export class Mp4Muxer {
  readonly #options: Mp4MuxerOptions
  readonly #format = new FormatContext()
  #video: Stream | null = null
  #audio: Stream | null = null
  #queue: Packet[] = []
  #queuedBytes = 0
  /** The last picture. It is shown until the next one comes, which may take half a second. */
  #held: Packet | null = null
  #writing: Promise<void> | null = null
  #opened = false
  #closed = false
  #error: Error | null = null
  #packetsWritten = 0

  constructor(options: Mp4MuxerOptions) {
    this.#options = options
  }

  /**
   * @param timestamp and `duration` in 90 kHz; timestamps grow. Copies `data`. A picture lasts until the next one, and for
   * `duration` where none follows
   */
  writeVideo(data: Buffer, timestamp: number, duration: number, keyframe: boolean): void {
    if (this.#error || this.#closed) return
    this.#releaseHeld(timestamp)
    this.#held = newPacket(0, data, timestamp, duration, keyframe, VIDEO_TIME_BASE)
  }

  /** @param timestamp and `duration` in samples; timestamps grow. Copies `data` */
  writeAudio(data: Buffer, timestamp: number, duration: number): void {
    if (this.#error || this.#closed) return
    this.#enqueue(newPacket(1, data, timestamp, duration, true, AUDIO_TIME_BASE))
  }

  /**
   * Writes what is queued, then the index.
   * @param endTimestamp until when the last picture is shown, in 90 kHz
   * @throws the error that ended the writing, if one did
   */
  async finish(endTimestamp = 0): Promise<void> {
    this.#releaseHeld(endTimestamp)
    await this.#writing
    if (!this.#error) {
      try {
        if (!this.#opened) await this.#open()
        check('write the index', await this.#format.writeTrailer())
        this.#checkOutput()
      } catch (error) {
        this.#error = error as Error
      }
    }
    await this.#close()
    if (this.#error) throw this.#error
  }

  /** Closes the file as it is, without an index. */
  async abandon(): Promise<void> {
    // With an error set, `onError` is not called any more.
    this.#error ??= new Error('abandoned')
    await this.#writing
    await this.#close()
  }

  #releaseHeld(untilTimestamp: number): void {
    const held = this.#held
    this.#held = null
    if (!held) return
    const lasts = BigInt(Math.round(untilTimestamp)) - held.pts
    if (lasts > 0n) held.duration = lasts
    this.#enqueue(held)
  }

  #enqueue(packet: Packet): void {
    this.#queue.push(packet)
    this.#queuedBytes += packet.size
    if (this.#queuedBytes > MAX_QUEUED_BYTES) this.#fail(new Error('the disk is too slow'))
    else this.#writing ??= this.#writeQueue().finally(() => (this.#writing = null))
  }

  async #writeQueue(): Promise<void> {
    try {
      if (!this.#opened) await this.#open()
      for (let packet = this.#queue.shift(); packet && !this.#error; packet = this.#queue.shift()) {
        this.#queuedBytes -= packet.size
        try {
          await this.#write(packet)
        } finally {
          packet.free()
        }
      }
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  async #open(): Promise<void> {
    const { file } = this.#options
    const format = this.#format
    check('make an MP4', format.allocOutputContext2(null, 'mp4', file))
    this.#opened = true
    const { video, audio } = addTracks(format, this.#options)
    this.#video = video
    this.#audio = audio
    check('open the file', await format.openOutput())
    setOptions(format, MUXER_OPTIONS)
    check('write the header', await format.writeHeader(null))
  }

  async #write(packet: Packet): Promise<void> {
    const stream = packet.streamIndex === 0 ? this.#video : this.#audio
    if (!stream) throw new Error('no such stream')
    packet.rescaleTs(packet.timeBase, stream.timeBase)
    check('write', await this.#format.interleavedWriteFrame(packet))
    this.#checkOutput()
    if (this.#packetsWritten++ === 0) this.#options.onFirstPacket?.()
  }

  /** FFmpeg's output remembers a failed write to the disk; the muxer does not always return it. */
  #checkOutput(): void {
    const code = this.#format.pb?.error ?? 0
    if (code < 0) throw new CodecError('write', code)
  }

  #fail(error: Error): void {
    if (this.#error) return
    this.#error = error
    this.#options.onError(error)
  }

  async #close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    for (const packet of this.#queue) packet.free()
    this.#queue = []
    this.#held?.free()
    this.#held = null
    if (!this.#opened) return
    await this.#format.closeOutput()
    this.#format.freeContext()
  }
}
