import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { HlsPart } from '../../media/channel.ts'
import { FragmentMuxer } from '../codecs/fragment-muxer.ts'
import { VIDEO_CLOCK_HZ } from '../codecs/video-encoder.ts'
import type { EncodedVideoFrame } from '../media-types.ts'
import type { RoomOutput } from './room-outputs.ts'
import { RoomTracks } from './room-tracks.ts'

/** A part ends with the first picture after it that long: at 20 pictures a second it lasts no longer than 0.55 s. */
const PART_TICKS = 0.47 * VIDEO_CLOCK_HZ
/** Keyframes that come sooner, for somebody who lost a picture, begin no segment. */
const SHORTEST_SEGMENT_TICKS = VIDEO_CLOCK_HZ
/** Older segments are removed. They last some two seconds each. */
const KEPT_SEGMENTS = 30

export interface LiveSegmentsOptions {
  /** Absolute path; made if it is not there. */
  folder: string
  width: number
  height: number
  fps: number
  log: Logger
  /** Ask the room's H264 encoder for a keyframe. */
  requestKeyframe: () => void
  /** A part is in its file. */
  onPart: (part: HlsPart) => void
}

/** What becomes of a fragment. */
type Mark = Omit<HlsPart, 'offset' | 'length'>

/** A picture whose duration is not known before the next one. */
interface HeldPicture {
  data: Buffer
  timestamp: number
  keyframe: boolean
}

/**
 * The room as segments of fragmented MP4 for HLS: `init.mp4` and one file for each segment, to which its parts are appended
 * (RFC 8216bis, sections 3.1.2 and 4.4.4.9). The newest ones are kept.
 */
export class LiveSegments implements RoomOutput<void> {
  readonly #options: LiveSegmentsOptions
  readonly #tracks: RoomTracks
  #muxer: FragmentMuxer<Mark> | null = null
  #held: HeldPicture | null = null
  #startedAt = 0
  #segment = 0
  #part = 0
  #segmentFrom = 0
  /** Where the part begins that is being made; null before its first picture. */
  #partFrom: number | null = null
  #isIndependent = true
  #fileBytes = 0
  /** Writes to the disk, one after the other. */
  #written: Promise<void>

  constructor(options: LiveSegmentsOptions) {
    this.#options = options
    this.#written = mkdir(options.folder, { recursive: true }).then(() => {})
    this.#written.catch((error: Error) => this.#fail(error))
    this.#tracks = new RoomTracks({
      fps: options.fps,
      requestKeyframe: options.requestKeyframe,
      onStart: (capturedAtMs, videoHeader) => this.#open(capturedAtMs, videoHeader),
      onVideo: (data, timestamp, _duration, keyframe) => this.#take(data, timestamp, keyframe),
      onAudio: (data, timestamp, duration) => this.#muxer?.writeAudio(data, timestamp, duration),
    })
  }

  writeVideo(frame: EncodedVideoFrame): void {
    this.#tracks.writeVideo(frame)
  }

  writeMix(pcm: Float32Array, capturedAtMs: number): void {
    this.#tracks.writeMix(pcm, capturedAtMs)
  }

  /** Ends with the parts that are complete. The files stay. */
  async stop(): Promise<void> {
    this.#tracks.abandon()
    await this.#muxer?.close()
    await this.#written.catch(() => {})
  }

  #open(capturedAtMs: number, videoHeader: Buffer): void {
    const { folder, width, height, fps } = this.#options
    this.#startedAt = Date.now() - (performance.now() - capturedAtMs)
    this.#muxer = new FragmentMuxer<Mark>({
      ...{ width, height, fps, videoHeader },
      audioHeader: this.#tracks.audioHeader,
      onHeader: (bytes) => this.#write(() => writeFile(join(folder, 'init.mp4'), bytes)),
      onFragment: (bytes, mark) => this.#write(() => this.#append(bytes, mark)),
      onError: (error) => this.#fail(error),
    })
  }

  #take(data: Buffer, timestamp: number, keyframe: boolean): void {
    const held = this.#held
    if (held) this.#muxer?.writeVideo(held.data, held.timestamp, timestamp - held.timestamp, held.keyframe)
    this.#held = { data: Buffer.from(data), timestamp, keyframe }
    const beginsSegment = keyframe && timestamp - this.#segmentFrom >= SHORTEST_SEGMENT_TICKS
    if (this.#partFrom === null) this.#partFrom = timestamp
    else if (beginsSegment || timestamp - this.#partFrom >= PART_TICKS) {
      this.#cut(this.#partFrom, timestamp, beginsSegment)
      this.#isIndependent = keyframe
    }
    if (!beginsSegment || this.#part === 0) return
    this.#segment++
    this.#part = 0
    this.#segmentFrom = timestamp
  }

  #cut(from: number, to: number, isLast: boolean): void {
    this.#muxer?.cut({
      segment: this.#segment,
      part: this.#part++,
      durationMs: ((to - from) * 1000) / VIDEO_CLOCK_HZ,
      startedAt: Math.round(this.#startedAt + (from * 1000) / VIDEO_CLOCK_HZ),
      isIndependent: this.#isIndependent,
      isLast,
    })
    this.#partFrom = to
  }

  async #append(bytes: Buffer, mark: Mark): Promise<void> {
    const { folder, onPart } = this.#options
    if (mark.part === 0) this.#fileBytes = 0
    await appendFile(join(folder, `${mark.segment}.m4s`), bytes)
    onPart({ ...mark, offset: this.#fileBytes, length: bytes.length })
    this.#fileBytes += bytes.length
    if (mark.part === 0) await rm(join(folder, `${mark.segment - KEPT_SEGMENTS}.m4s`), { force: true })
  }

  #write(work: () => Promise<void>): void {
    this.#written = this.#written.then(work)
    this.#written.catch((error: Error) => this.#fail(error))
  }

  #fail(err: Error): void {
    if (this.#tracks.hasEnded) return
    this.#tracks.abandon()
    this.#options.log.error({ err }, 'HLS of a room ended: its segments cannot be made or written')
  }
}
