import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type {
  ConnectionTarget,
  PlaybackEnd,
  PlaybackInfo,
  PlaybackOptions,
  PlaybackState,
  RoomEvents,
  RoomPart,
} from '../../media/channel.ts'
import type { AudioMixer } from '../mixer/audio-mixer.ts'
import type { VideoMixer } from '../mixer/video-mixer.ts'
import { AddressQuestions } from './address-judge.ts'
import { FilePlayer } from './file-player.ts'
import { type OpenedMedia, openMedia } from './media-source.ts'
import { takeReaderSlot } from './reader-slots.ts'

/**
 * How long a source may take until it is known what it is, in milliseconds. Clients of the server wait ten seconds for their
 * answer, and the server may need three of them to find the host.
 */
const OPEN_TIMEOUT_MS = 6000
/** A seek is answered after this long at the latest; it may take longer until the playback moves again. */
const SEEK_ANSWER_MS = 3000
/** How long a live transmission that broke is tried to be opened again before it counts as over, in milliseconds. */
const REOPENING_MS = 10_000
const REOPEN_MS = 1000
const STOPPED = 'the playback was stopped, or its source takes too long'

export interface RoomPlaybacksOptions {
  video: Pick<VideoMixer, 'addFile' | 'removeFile'>
  audio: AudioMixer
  log: Logger
  /** It moves or waits, without having been asked to. */
  onChanged: (playbackId: string, state: PlaybackState) => void
  /** It ended by itself. */
  onEnded: (playbackId: string, reason: PlaybackEnd, positionMs: number) => void
  /** The server is to judge an address. */
  onAddressWanted: (question: RoomEvents['addressWanted']) => void
}

/** One playback, from the request on. */
interface Playback {
  /** Ends whatever waits for its source. */
  abort: AbortController
  /** Null while it is being opened. */
  player: FilePlayer | null
  giveBackSlot: () => void
}

/** Plays files and live transmissions into a room. */
export class RoomPlaybacks implements RoomPart<'playbacks'> {
  readonly #options: RoomPlaybacksOptions
  readonly #questions: AddressQuestions
  readonly #playbacks = new Map<string, Playback>()
  readonly #closing = new Set<Promise<void>>()

  constructor(options: RoomPlaybacksOptions) {
    this.#options = options
    this.#questions = new AddressQuestions(options.onAddressWanted)
  }

  async startPlayback(options: PlaybackOptions): Promise<PlaybackInfo> {
    const { playbackId } = options
    if (this.#playbacks.has(playbackId)) throw new Error(`${playbackId} exists already`)
    const playback: Playback = { abort: new AbortController(), player: null, giveBackSlot: takeReaderSlot() }
    this.#playbacks.set(playbackId, playback)
    const timeout = setTimeout(() => playback.abort.abort(), OPEN_TIMEOUT_MS)
    try {
      const media = await this.#open(options.url, playback.abort)
      return await this.#play(playback, media, options)
    } catch (error) {
      playback.abort.abort()
      playback.giveBackSlot()
      if (this.#playbacks.get(playbackId) === playback) this.#playbacks.delete(playbackId)
      throw error
    } finally {
      clearTimeout(timeout)
    }
  }

  pausePlayback(playbackId: string): PlaybackState {
    const player = this.#playerOf(playbackId)
    player.pause()
    return stateOf(player)
  }

  resumePlayback(playbackId: string): PlaybackState {
    const player = this.#playerOf(playbackId)
    player.resume()
    return stateOf(player)
  }

  async seekPlayback(playbackId: string, positionMs: number): Promise<PlaybackState> {
    const player = this.#playerOf(playbackId)
    const sought = player.seek(positionMs)
    // A failure after the answer leaves the playback where it is, and its end tells the rest.
    sought.catch(() => {})
    await Promise.race([sought, sleep(SEEK_ANSWER_MS, undefined, { ref: false })])
    return stateOf(player)
  }

  setPlaybackVolume(playbackId: string, volume: number): void {
    this.#playerOf(playbackId).setVolume(volume)
  }

  stopPlayback(playbackId: string): void {
    const playback = this.#playbacks.get(playbackId)
    if (!playback) return
    this.#playbacks.delete(playbackId)
    playback.abort.abort()
    if (playback.player) this.#closePlayer(playbackId, playback.player, playback.giveBackSlot)
  }

  giveAddress(questionId: number, target: ConnectionTarget | null): void {
    this.#questions.answer(questionId, target)
  }

  /** Ends all playbacks. Never rejects. */
  async close(): Promise<void> {
    for (const playbackId of [...this.#playbacks.keys()]) this.stopPlayback(playbackId)
    this.#questions.close()
    await Promise.allSettled(this.#closing)
  }

  async #open(url: string, { signal }: AbortController): Promise<OpenedMedia> {
    const media = await openMedia({ url, judge: this.#questions.judge, signal })
    if (!signal.aborted) return media
    await media.demuxer.close()
    throw new Error(STOPPED)
  }

  async #play(playback: Playback, opened: OpenedMedia, options: PlaybackOptions): Promise<PlaybackInfo> {
    const { playbackId, url, volume } = options
    const { video, audio, log, onChanged, onEnded } = this.#options
    const positionMs = opened.seek ? Math.min(options.positionMs, opened.durationMs ?? 0) : 0
    let media = opened
    try {
      if (positionMs > 0) media = (await opened.seek?.(positionMs)) ?? opened
      if (playback.abort.signal.aborted) throw new Error(STOPPED)
      const player = new FilePlayer({
        media,
        positionMs,
        volume,
        reopen: opened.isTransmission ? () => this.#reopen(url, playback.abort) : null,
        onChange: (state) => onChanged(playbackId, state),
        onEnd: (reason, endMs) => {
          log.info({ playbackId, reason }, 'playback ended')
          this.stopPlayback(playbackId)
          onEnded(playbackId, reason, endMs)
        },
      })
      playback.player = player
      if (player.hasPicture) video.addFile(playbackId, player)
      audio.addFile(player)
      return { durationMs: media.durationMs, isSeekable: player.isSeekable, hasPicture: player.hasPicture }
    } catch (error) {
      await media.demuxer.close()
      throw error
    }
  }

  async #reopen(url: string, abort: AbortController): Promise<OpenedMedia> {
    const deadlineMs = performance.now() + REOPENING_MS
    for (;;) {
      await sleep(REOPEN_MS, undefined, { signal: abort.signal })
      try {
        return await this.#open(url, abort)
      } catch (error) {
        if (abort.signal.aborted || performance.now() > deadlineMs) throw error
      }
    }
  }

  #closePlayer(playbackId: string, player: FilePlayer, giveBackSlot: () => void): void {
    const { video, audio } = this.#options
    video.removeFile(playbackId)
    audio.removeFile(player)
    const closing = player.close().finally(() => {
      this.#closing.delete(closing)
      giveBackSlot()
    })
    this.#closing.add(closing)
  }

  #playerOf(playbackId: string): FilePlayer {
    const player = this.#playbacks.get(playbackId)?.player
    if (!player) throw new Error(`no playback ${playbackId}`)
    return player
  }
}

function stateOf({ positionMs, isMoving }: FilePlayer): PlaybackState {
  return { positionMs, isMoving }
}
