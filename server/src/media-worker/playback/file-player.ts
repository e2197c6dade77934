import type { DemuxedPacket } from '../codecs/media-demuxer.ts'
import type { DecodedPicture } from '../codecs/video-decoder.ts'
import type { FileSound } from '../mixer/audio-mixer.ts'
import type { FilePicture } from '../mixer/video-mixer.ts'
import { volumeGain } from '../mixer/volume.ts'
import type { OpenedMedia } from './media-source.ts'
import { PictureTrack } from './picture-track.ts'
import { PlayClock } from './play-clock.ts'
import { SoundTrack } from './sound-track.ts'

/** Read ahead of what is played. */
const READ_AHEAD_MS = 4000
/** Read before it begins, and before it goes on where it had to wait. */
const START_AHEAD_MS = 300
/** A stream of which nothing comes for this long is not waited for, such as a cover beside music. */
const SPARSE_MS = 3000
/** Packets in memory. What is badly interleaved or of a very high rate gets less time ahead. */
const MOST_BYTES = 24 * 1024 * 1024
const MOST_PACKETS = 6000
/** A file whose last packets have impossible times ends this long after its length. */
const END_TOLERANCE_MS = 2000

/** Why a playback is over: it was played to its end, or its source broke. */
export type PlayerEnd = 'finished' | 'lost'

export interface FilePlayerOptions {
  media: OpenedMedia
  positionMs: number
  /** -50 to 50, as for members. */
  volume: number
  /**
   * A transmission broke: opens it again. Rejects when it is over. Null for what cannot be
   * opened again.
   */
  reopen: (() => Promise<OpenedMedia>) | null
  /** It began to move or stopped by itself, because it had to wait for its source. */
  onChange: (state: { positionMs: number; isMoving: boolean }) => void
  /** Called once, unless it is closed before. */
  onEnd: (reason: PlayerEnd, positionMs: number) => void
}

/**
 * Plays one file or live transmission in real time. The mixers' ticks move it: each 20 ms of sound and each picture is that of
 * the position at the tick, so both stay in step. All waiting is done by promises and FFmpeg's threads.
 */
export class FilePlayer implements FilePicture, FileSound {
  readonly #options: FilePlayerOptions
  readonly #clock: PlayClock
  #media: OpenedMedia
  #gain: number
  #isPaused = false
  #picture: PictureTrack | null = null
  #sound: SoundTrack | null = null
  /** Positions of the last packets. */
  #furthestMs = { video: 0, audio: 0 }
  #isAtEnd = false
  #isLost = false
  /** Something of it cannot be decoded at all. */
  #isBroken = false
  #reading: Promise<void> | null = null
  /** The last seek that was asked for. Earlier ones that have not begun are left out. */
  #lastSeek = 0
  #seeks: Promise<void> = Promise.resolve()
  #isSeeking = false
  #nowMs = 0
  /** A transmission broke, and is being opened again. What is here is still played. */
  #isReopening = false
  #isClosed = false

  /** @throws Error when it cannot be decoded */
  constructor(options: FilePlayerOptions) {
    this.#options = options
    this.#media = options.media
    this.#gain = volumeGain(options.volume)
    this.#clock = new PlayClock(options.positionMs)
    this.#begin(options.positionMs, null)
  }

  get hasPicture(): boolean {
    return this.#picture !== null
  }

  get isSeekable(): boolean {
    return this.#media.seek !== null
  }

  get positionMs(): number {
    return Math.round(this.#clock.at(this.#nowMs))
  }

  get isMoving(): boolean {
    return this.#clock.running
  }

  get gain(): number {
    return this.#gain
  }

  get picture(): DecodedPicture | null {
    return this.#picture?.picture ?? null
  }

  get version(): number {
    return this.#picture?.version ?? 0
  }

  setVolume(volume: number): void {
    this.#gain = volumeGain(volume)
  }

  pause(): void {
    this.#isPaused = true
    this.#clock.halt(this.#nowMs)
  }

  /** It moves on from the next tick at which enough of it is here. */
  resume(): void {
    this.#isPaused = false
  }

  /**
   * Goes on from another place; it moves again when that is here. A later call replaces one that has not begun.
   * @returns the position, within the file
   * @throws Error when it cannot be gone to
   */
  async seek(positionMs: number): Promise<number> {
    const { seek, durationMs } = this.#media
    if (!seek) throw new Error('this cannot be sought in')
    const target = Math.min(Math.max(0, positionMs), durationMs ?? positionMs)
    const number = ++this.#lastSeek
    this.#isSeeking = true
    this.#clock.jump(target)
    const done = this.#seeks.then(async () => {
      await this.#reading
      if (number === this.#lastSeek && !this.#isClosed) await this.#goTo(target)
    })
    this.#seeks = done.catch(() => {})
    await done.finally(() => {
      if (number === this.#lastSeek) this.#isSeeking = false
      this.#work()
    })
    return target
  }

  /** Sound of the tick at `nowMs`. @returns whether there is any */
  render(nowMs: number, target: Float32Array): boolean {
    this.#nowMs = Math.max(this.#nowMs, nowMs)
    this.#decide()
    const isHeard = this.#clock.running && (this.#sound?.pull(this.#clock.at(nowMs), target) ?? false)
    // Also while nobody watches.
    if (this.#clock.running) this.#picture?.advance(this.#clock.at(nowMs))
    this.#work()
    return isHeard
  }

  /** Moves on to the picture that is due. */
  advance(nowMs: number): void {
    if (this.#clock.running) this.#picture?.advance(this.#clock.at(nowMs))
  }

  /** Ends everything; what waits for the source ends too. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#dropTracks()
    await this.#media.demuxer.close()
  }

  async #goTo(positionMs: number): Promise<void> {
    this.#media = (await this.#media.seek?.(positionMs)) ?? this.#media
    if (this.#isClosed) await this.#media.demuxer.close()
    else this.#begin(positionMs, this.#picture?.takeShown() ?? null)
  }

  #begin(positionMs: number, shown: DecodedPicture | null): void {
    this.#dropTracks()
    const { video, audio } = this.#media.demuxer
    this.#picture = video && new PictureTrack(video, { positionMs, shown, onDecoded: this.#work })
    if (!this.#picture) shown?.release()
    this.#sound = audio && new SoundTrack(audio, positionMs)
    this.#furthestMs = { video: positionMs, audio: positionMs }
    this.#isAtEnd = false
  }

  #dropTracks(): void {
    this.#picture?.close()
    this.#sound?.close()
    this.#picture = null
    this.#sound = null
  }

  /** Starts, halts or ends the clock, as the source allows. */
  #decide(): void {
    if (this.#isPaused || this.#isClosed || this.#isSeeking) return
    if (this.#isOver()) {
      this.#clock.halt(this.#nowMs)
      this.#isPaused = true
      this.#options.onEnd(this.#isLost ? 'lost' : 'finished', this.positionMs)
    } else if (this.#clock.running && this.#isStarved()) {
      this.#clock.halt(this.#nowMs)
      this.#report()
    } else if (!this.#clock.running && !this.#isReopening && this.#isReady()) {
      this.#clock.run(this.#nowMs)
      this.#report()
    }
  }

  #report(): void {
    this.#options.onChange({ positionMs: this.positionMs, isMoving: this.#clock.running })
  }

  #isOver(): boolean {
    if (this.#isBroken) return true
    const { durationMs } = this.#media
    const position = this.#clock.at(this.#nowMs)
    if (!this.#isAtEnd) return false
    if (durationMs !== null && position > durationMs + END_TOLERANCE_MS) return true
    const isThrough = (this.#sound?.isOver ?? true) && (this.#picture?.isOver ?? true)
    return isThrough && (position >= this.#furthest || this.#isLost)
  }

  #isStarved(): boolean {
    if (this.#isAtEnd) return false
    const lacksSound = this.#sound?.isEmpty === true && !this.#isSparse('audio')
    return lacksSound || (this.#picture?.isEmpty === true && !this.#isSparse('video'))
  }

  #isReady(): boolean {
    const hasSound = this.#sound === null || this.#sound.isReady || this.#isSparse('audio')
    const hasPicture = this.#picture === null || this.#picture.isReady || this.#isSparse('video')
    const isAhead = this.#furthest - this.#clock.at(this.#nowMs) >= START_AHEAD_MS
    return hasSound && hasPicture && (isAhead || this.#isAtEnd || this.#isFull)
  }

  /** Nothing of this stream comes, although others have been read far beyond it. */
  #isSparse(kind: 'video' | 'audio'): boolean {
    return this.#furthest - this.#furthestMs[kind] > SPARSE_MS || this.#isFull
  }

  get #furthest(): number {
    return Math.max(this.#furthestMs.video, this.#furthestMs.audio)
  }

  get #isFull(): boolean {
    const [picture, sound] = [this.#picture?.packets, this.#sound?.packets]
    const bytes = (picture?.sizeInBytes ?? 0) + (sound?.sizeInBytes ?? 0)
    return bytes >= MOST_BYTES || (picture?.length ?? 0) + (sound?.length ?? 0) >= MOST_PACKETS
  }

  get #wantsPackets(): boolean {
    if (this.#isAtEnd || this.#isClosed || this.#isSeeking || this.#isBroken || this.#isFull) return false
    return this.#furthest - this.#clock.at(this.#nowMs) < READ_AHEAD_MS || this.#isStarved()
  }

  /** Decodes and reads what is needed soon. A file that makes this throw ends; it must not take the room with it. */
  readonly #work = (): void => {
    if (this.#isClosed || this.#isSeeking || this.#isBroken) return
    try {
      this.#picture?.fill(this.#nowMs, this.#clock.at(this.#nowMs))
      if (this.#sound?.fill()) setImmediate(this.#work)
    } catch {
      this.#isBroken = true
      this.#isLost = true
    }
    if (this.#wantsPackets && !this.#reading)
      this.#reading = this.#read().finally(() => {
        this.#reading = null
      })
  }

  async #read(): Promise<void> {
    try {
      while (this.#wantsPackets) {
        const packet = await this.#next()
        if (packet === 'broken') await this.#openAgain()
        else if (packet) this.#take(packet)
        else this.#finish()
      }
    } catch {
      // What has been read is still played.
      this.#isLost = true
      if (!this.#isClosed) this.#finish()
    }
  }

  /** @returns null at the end, `broken` for a transmission that can be opened again */
  async #next(): Promise<DemuxedPacket | 'broken' | null> {
    const canReopen = this.#options.reopen !== null && !this.#isClosed
    try {
      const packet = await this.#media.demuxer.read()
      return packet === null && canReopen && !this.#media.saysItsEnd ? 'broken' : packet
    } catch (error) {
      if (canReopen && !this.#isClosed) return 'broken'
      throw error
    }
  }

  /** It goes on from the present position, without what was lost. @throws Error when it is over */
  async #openAgain(): Promise<void> {
    const { reopen } = this.#options
    this.#isReopening = true
    try {
      await this.#media.demuxer.close()
      const media = await reopen?.()
      if (!media) return
      this.#media = media
      if (this.#isClosed) return await media.demuxer.close()
      this.#clock.halt(this.#nowMs)
      this.#report()
      const positionMs = this.#clock.at(this.#nowMs)
      // What was here has been played meanwhile.
      media.demuxer.startAt(positionMs)
      this.#begin(positionMs, this.#picture?.takeShown() ?? null)
    } finally {
      this.#isReopening = false
    }
  }

  #take(packet: DemuxedPacket): void {
    const { kind, atMs, durationMs } = packet
    const track = kind === 'video' ? this.#picture : this.#sound
    if (!track || this.#isClosed) {
      packet.packet.free()
      return
    }
    this.#furthestMs[kind] = Math.max(this.#furthestMs[kind], atMs + durationMs)
    track.push(packet)
    this.#work()
  }

  #finish(): void {
    this.#isAtEnd = true
    this.#picture?.finish()
    this.#sound?.finish()
    this.#work()
  }
}
