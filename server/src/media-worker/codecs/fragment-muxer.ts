import { AVFMT_FLAG_CUSTOM_IO } from 'node-av/constants'
import { FormatContext, IOContext, type Packet } from 'node-av/lib'
import { check, setOptions } from './ffmpeg.ts'
import { AUDIO_TIME_BASE, addTracks, newPacket, type TrackOptions, VIDEO_TIME_BASE } from './mp4-tracks.ts'

/** A fragment ends where the caller says so, and nowhere else (FFmpeg formats manual, "mov/mp4 muxers", `frag_custom`). */
const MUXER_OPTIONS = { movflags: 'frag_custom+empty_moov+default_base_moof' }
const IO_BYTES = 64 * 1024
/** A machine that is this far behind does not catch up. */
const MAX_QUEUED_BYTES = 16 * 1024 * 1024

export interface FragmentMuxerOptions<Mark> extends TrackOptions {
  /** The initialization segment: `ftyp` and `moov`. Called once, before any fragment. */
  onHeader: (bytes: Buffer) => void
  /** One `moof` with its `mdat`. @param mark what {@link FragmentMuxer.cut} was called with */
  onFragment: (bytes: Buffer, mark: Mark) => void
  /** Muxing has failed. Called once; nothing is delivered after it. */
  onError: (error: Error) => void
}

/** Puts H264 and mono AAC into fragments of MP4, in memory. Only FFmpeg's own threads work; the caller never waits. */
export class FragmentMuxer<Mark> {
  readonly #options: FragmentMuxerOptions<Mark>
  readonly #format = new FormatContext()
  readonly #io = new IOContext()
  #bytes: Buffer[] = []
  #queue: (Packet | { mark: Mark })[] = []
  #queuedBytes = 0
  #working: Promise<void> | null = null
  #isOpen = false
  #isEnded = false

  constructor(options: FragmentMuxerOptions<Mark>) {
    this.#options = options
  }

  /** @param timestamp and `duration` in 90 kHz. Copies `data` */
  writeVideo(data: Buffer, timestamp: number, duration: number, keyframe: boolean): void {
    if (this.#isEnded) return
    this.#enqueue(newPacket(0, data, timestamp, duration, keyframe, VIDEO_TIME_BASE))
  }

  /** @param timestamp and `duration` in samples. Copies `data` */
  writeAudio(data: Buffer, timestamp: number, duration: number): void {
    if (this.#isEnded) return
    this.#enqueue(newPacket(1, data, timestamp, duration, true, AUDIO_TIME_BASE))
  }

  /** Ends a fragment with what was written so far. */
  cut(mark: Mark): void {
    if (!this.#isEnded) this.#enqueue({ mark })
  }

  /** Delivers what was cut off, and closes. Idempotent. */
  async close(): Promise<void> {
    this.#isEnded = true
    await this.#working
    for (const entry of this.#queue.splice(0)) if ('free' in entry) entry.free()
    if (!this.#isOpen) return
    this.#isOpen = false
    // Else both would free it.
    this.#format.pb = null
    this.#format.freeContext()
    this.#io.freeContext()
  }

  #enqueue(entry: Packet | { mark: Mark }): void {
    this.#queue.push(entry)
    if ('size' in entry) this.#queuedBytes += entry.size
    if (this.#queuedBytes > MAX_QUEUED_BYTES) this.#fail(new Error('the machine is too slow'))
    else this.#working ??= this.#work().finally(() => (this.#working = null))
  }

  async #work(): Promise<void> {
    try {
      if (!this.#isOpen) await this.#open()
      for (let entry = this.#queue.shift(); entry; entry = this.#queue.shift()) {
        if ('mark' in entry) await this.#deliver(entry.mark)
        else await this.#write(entry)
      }
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  async #open(): Promise<void> {
    const format = this.#format
    check('make an MP4', format.allocOutputContext2(null, 'mp4', null))
    this.#isOpen = true
    addTracks(format, this.#options)
    const take = (bytes: Buffer): number => {
      this.#bytes.push(Buffer.from(bytes))
      return bytes.length
    }
    this.#io.allocContextWithCallbacks(IO_BYTES, 1, null, take, null)
    format.pb = this.#io
    format.setFlags(AVFMT_FLAG_CUSTOM_IO)
    setOptions(format, MUXER_OPTIONS)
    check('write the header', await format.writeHeader(null))
    await format.flush()
    this.#options.onHeader(this.#taken())
  }

  async #write(packet: Packet): Promise<void> {
    this.#queuedBytes -= packet.size
    try {
      const stream = this.#format.streams[packet.streamIndex]
      if (stream) packet.rescaleTs(packet.timeBase, stream.timeBase)
      check('write', await this.#format.writeFrame(packet))
    } finally {
      packet.free()
    }
  }

  async #deliver(mark: Mark): Promise<void> {
    check('end a fragment', await this.#format.writeFrame(null))
    await this.#format.flush()
    const bytes = this.#taken()
    if (bytes.length > 0) this.#options.onFragment(bytes, mark)
  }

  #taken(): Buffer {
    const bytes = Buffer.concat(this.#bytes)
    this.#bytes = []
    return bytes
  }

  #fail(error: Error): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#options.onError(error)
  }
}
