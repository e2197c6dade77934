import {
  AVDISCARD_ALL,
  AVERROR_EOF,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_CUR,
  AVSEEK_END,
  AVSEEK_FLAG_BACKWARD,
  AVSEEK_SIZE,
} from 'node-av/constants'
import { Dictionary, FormatContext, InputFormat, IOContext, Packet, type Stream } from 'node-av/lib'
import { check } from './ffmpeg.ts'
import { FILE_DECODER_LIST, FILE_FORMATS, isFileDecoder } from './file-codecs.ts'

/** The bytes of a file or of a live transmission, wherever they come from. */
export interface ByteSource {
  /** Length of the whole, or null where it is not known or where {@link seek} is not possible. */
  readonly sizeInBytes: number | null
  /**
   * @returns between 1 and `size` bytes, or null at the end. One call at a time
   * @throws Error when no more will come, also because of {@link close}
   */
  read(size: number): Promise<Buffer | null>
  /** The next read begins at this byte. */
  seek(offset: number): void
  /** Idempotent. A read that waits is ended. */
  close(): void
}

/** An RTMP server that FFmpeg itself speaks to, by way of a local port. */
export interface RtmpSource {
  /** Of the local port. */
  url: string
  /** What FFmpeg's `rtmp` protocol is told besides. */
  options: Readonly<Record<string, string>>
  /** Ends the connection, and so what FFmpeg does on it. Idempotent. */
  close(): void
}

/** One packet of the picture or the sound. Whoever takes it frees `packet`. */
export interface DemuxedPacket {
  kind: 'video' | 'audio'
  packet: Packet
  /** Position at which it is presented. The timestamps of `packet` say the same. */
  atMs: number
  /** Zero where it is not known. */
  durationMs: number
  sizeInBytes: number
}

/** Gives the packets of one medium, in about the order of their positions. */
export interface PacketReader {
  /** The picture, if there is one that can be decoded. */
  readonly video: Stream | null
  /** The sound, if there is one that can be decoded. */
  readonly audio: Stream | null
  /** Says which position the beginning has. To be called before anything is read. */
  startAt(positionMs: number): void
  /** @returns null at the end. One call at a time. @throws Error when the source is broken */
  read(): Promise<DemuxedPacket | null>
  /** Ends a read that waits, then frees everything. Idempotent. */
  close(): Promise<void>
}

export interface DemuxerOptions {
  /** Nothing else of the source is read. */
  only?: DemuxedPacket['kind']
  /** Position of what the source begins with. Default 0. */
  startsAtMs?: number
  /** The clock of the container may jump, as in transmissions that are put together. The position goes on then. */
  followsJumps?: boolean
}

/** Sources whose clocks begin further apart than this do not have the same clock. */
const SAME_CLOCK_MS = 30_000
/** A step of the container's clock by more than this is a jump. */
const JUMP_MS = 5000
/** FFmpeg's sign for no timestamp is a number far below this. */
const NO_TIMESTAMP = -1e15
const READ_BYTES = 64 * 1024
/** A file whose next packet is not complete after this much is refused, because all of it would be kept in memory. */
const MOST_BYTES_PER_PACKET = 64 * 1024 * 1024
/** FFmpeg's own number for a failed read (`AVERROR(EIO)`). */
const AVERROR_EIO = -5

const OPEN_OPTIONS = {
  format_whitelist: FILE_FORMATS,
  codec_whitelist: FILE_DECODER_LIST,
  max_streams: '64',
  probesize: '3000000',
  /** Microseconds. */
  analyzeduration: '3000000',
}
/** FFmpeg opens no address that a file names. The bytes come from us. */
const NO_PROTOCOL = { protocol_whitelist: 'none' }
const RTMP_PROTOCOLS = { protocol_whitelist: 'rtmp,tcp' }

/**
 * Reads picture and sound of one file or live transmission, packet by packet, on FFmpeg's own threads: the caller never
 * waits, but a thread of the process's pool does for as long as a source is silent.
 */
export class MediaDemuxer implements PacketReader {
  readonly #format: FormatContext
  readonly #io: IOContext | null
  readonly #source: { close(): void }
  readonly #bytes: { sincePacket: number }
  /** The call that FFmpeg is busy with. */
  #work: Promise<unknown> = Promise.resolve()
  /** What is taken from a time by the clock of the container for a position. */
  #originMs = 0
  /** Position of the last packet; null at the beginning and after a jump. */
  #lastMs: number | null = null
  readonly #followsJumps: boolean
  readonly #only: DemuxedPacket['kind'] | null
  #closed: Promise<void> | null = null
  #video: Stream | null = null
  #audio: Stream | null = null

  /** @throws Error when it is no medium that can be played; the source is closed then */
  static async open(source: ByteSource | RtmpSource, options: DemuxerOptions = {}): Promise<MediaDemuxer> {
    const demuxer = new MediaDemuxer(source, options)
    try {
      await demuxer.#open(source)
      demuxer.startAt(options.startsAtMs ?? 0)
      return demuxer
    } catch (error) {
      await demuxer.close()
      throw error
    }
  }

  private constructor(source: ByteSource | RtmpSource, { followsJumps = false, only }: DemuxerOptions) {
    this.#source = source
    this.#followsJumps = followsJumps
    this.#only = only ?? null
    this.#bytes = { sincePacket: 0 }
    this.#io = 'read' in source ? ioOf(source, this.#bytes) : null
    this.#format = new FormatContext()
    this.#format.allocContext()
    if (this.#io) this.#format.pb = this.#io
  }

  get video(): Stream | null {
    return this.#video
  }

  get audio(): Stream | null {
    return this.#audio
  }

  startAt(positionMs: number): void {
    this.#originMs = this.#startMs - positionMs
  }

  /** Gives the same position to the same time as `other` does, if both have one clock; else both begin together. */
  startWith(other: MediaDemuxer): void {
    const apartMs = this.#startMs - other.#startMs
    this.#originMs = other.#originMs + (Math.abs(apartMs) > SAME_CLOCK_MS ? apartMs : 0)
  }

  /** Null where it is not known: mostly a live transmission. */
  get durationMs(): number | null {
    const duration = Number(this.#format.duration) / 1000
    return duration > 0 ? duration : null
  }

  async read(): Promise<DemuxedPacket | null> {
    const packet = new Packet()
    packet.alloc()
    for (;;) {
      const result = await this.#do(() => this.#format.readFrame(packet))
      if (result < 0) packet.free()
      if (result === AVERROR_EOF) return null
      check('read', result)
      this.#bytes.sincePacket = 0
      const kind = this.#kindOf(packet.streamIndex)
      if (kind) return this.#place(packet, kind)
      packet.unref()
    }
  }

  /** Goes to the last place at or before `positionMs` from which it can be decoded. @throws CodecError */
  async seek(positionMs: number): Promise<void> {
    this.#lastMs = null
    const target = BigInt(Math.round((positionMs + this.#originMs) * 1000))
    check('seek', await this.#do(() => this.#format.seekFrame(-1, target, AVSEEK_FLAG_BACKWARD)))
    this.#bytes.sincePacket = 0
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #open(source: ByteSource | RtmpSource): Promise<void> {
    const options = new Dictionary()
    const all = {
      ...OPEN_OPTIONS,
      ...('read' in source ? NO_PROTOCOL : { ...RTMP_PROTOCOLS, ...source.options }),
    }
    for (const [name, value] of Object.entries(all)) check(`option ${name}`, options.set(name, value))
    const format = 'read' in source ? null : InputFormat.findInputFormat('flv')
    try {
      const url = 'read' in source ? '' : source.url
      check('open the file', await this.#do(() => this.#format.openInput(url, format, options)))
    } finally {
      options.free()
    }
    check('read the file', await this.#do(() => this.#format.findStreamInfo(null)))
    this.#video = this.#only === 'audio' ? null : this.#best(AVMEDIA_TYPE_VIDEO)
    this.#audio = this.#only === 'video' ? null : this.#best(AVMEDIA_TYPE_AUDIO)
    if (!this.#video && !this.#audio) throw new Error('the file has neither picture nor sound')
    for (const stream of this.#format.streams) {
      if (!this.#kindOf(stream.index)) stream.discard = AVDISCARD_ALL
    }
  }

  #best(type: typeof AVMEDIA_TYPE_VIDEO | typeof AVMEDIA_TYPE_AUDIO): Stream | null {
    const { streamIndex, decoder } = this.#format.findBestStream(type, -1, -1, true)
    if (streamIndex < 0 || !isFileDecoder(decoder?.name ?? null)) return null
    return this.#format.streams[streamIndex] ?? null
  }

  #kindOf(streamIndex: number): 'video' | 'audio' | null {
    if (streamIndex === this.#video?.index) return 'video'
    return streamIndex === this.#audio?.index ? 'audio' : null
  }

  /** Time of the beginning by the clock of the container. */
  get #startMs(): number {
    const start = Number(this.#format.startTime)
    return start > NO_TIMESTAMP ? start / 1000 : 0
  }

  /** Turns the times of a packet into positions. */
  #place(packet: Packet, kind: 'video' | 'audio'): DemuxedPacket {
    const { timeBase } = kind === 'video' ? this.#video! : this.#audio!
    const unitMs = (1000 * timeBase.num) / timeBase.den
    const pts = Number(packet.pts)
    const dts = Number(packet.dts)
    const time = (pts > NO_TIMESTAMP ? pts : dts) * unitMs
    if (time > NO_TIMESTAMP * unitMs) this.#follow(time)
    const origin = BigInt(Math.round(this.#originMs / unitMs))
    if (pts > NO_TIMESTAMP) packet.pts -= origin
    if (dts > NO_TIMESTAMP) packet.dts -= origin
    return {
      kind,
      packet,
      atMs: this.#lastMs ?? 0,
      durationMs: Math.max(0, Number(packet.duration)) * unitMs,
      sizeInBytes: packet.size,
    }
  }

  #follow(timeMs: number): void {
    const last = this.#lastMs
    if (this.#followsJumps && last !== null && Math.abs(timeMs - this.#originMs - last) > JUMP_MS)
      this.#originMs = timeMs - last
    this.#lastMs = timeMs - this.#originMs
  }

  #do(call: () => Promise<number>): Promise<number> {
    if (this.#closed) return Promise.reject(new Error('demuxer used after it was closed'))
    const work = call()
    this.#work = work.catch(() => {})
    return work
  }

  async #close(): Promise<void> {
    this.#source.close()
    this.#format.interrupt()
    await this.#work
    await this.#format.closeInput()
    this.#io?.freeContext()
  }
}

/** FFmpeg's view of a source. Errors become its own number, since it knows no others. */
function ioOf(source: ByteSource, bytes: { sincePacket: number }): IOContext {
  let position = 0
  let hasFailed = false
  const io = new IOContext()
  const read = async (size: number): Promise<Buffer | number | null> => {
    // After a failure, some demuxers try again and again.
    if (hasFailed || bytes.sincePacket > MOST_BYTES_PER_PACKET) return AVERROR_EIO
    try {
      const data = await source.read(size)
      position += data?.length ?? 0
      bytes.sincePacket += data?.length ?? 0
      return data
    } catch {
      hasFailed = true
      return AVERROR_EIO
    }
  }
  const seek = (offset: bigint, whence: number): bigint => {
    const size = source.sizeInBytes
    if (size === null) return BigInt(AVERROR_EIO)
    if (whence === AVSEEK_SIZE) return BigInt(size)
    const base = whence === AVSEEK_CUR ? position : whence === AVSEEK_END ? size : 0
    position = Math.min(size, Math.max(0, base + Number(offset)))
    source.seek(position)
    return BigInt(position)
  }
  io.allocContextWithCallbacks(READ_BYTES, 0, read, null, source.sizeInBytes === null ? null : seek)
  return io
}
