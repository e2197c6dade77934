import type { Logger } from 'pino'
import type { SteadyClock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import type { ConnectionTarget, PlaybackEnd, PlaybackInfo, PlaybackState } from '../../media/channel.ts'
import type { MediaRoom } from '../../media/media-plane.ts'
import type { Targets } from '../../outgoing/targets.ts'
import { LivePlayback } from './live-playback.ts'
import type { PlaybackView } from './participant.ts'
import type { LayoutWish, PlacedFile, SessionLayout } from './session-layout.ts'
import type { SessionWriteQueue } from './session-write-queue.ts'

/** Protocols of addresses that can be played. HLS goes over `http` and `https`. */
const PLAYBACK_PROTOCOLS = ['https', 'http', 'rtmp', 'rtmps']

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, rtmp: 1935, rtmps: 443 }

/** What somebody asks to be played. */
export interface PlaybackRequest {
  url: string
  /** -50 to 50. */
  volume: number
  positionMs: number
  /** Layout and positions that it brings along. The key `self` is the playback. */
  wish: LayoutWish
}

export interface SessionPlaybacksOptions {
  sessionId: string
  media: MediaRoom
  targets: Targets
  /** Maximum number of playbacks at a time. */
  limit: number
  layout: Pick<SessionLayout, 'arrange' | 'begin' | 'end'>
  writes: SessionWriteQueue
  clock: SteadyClock
  log: Logger
  /** @throws Refusal `session_ended` if there is no session to play into */
  checkOpen: () => void
  onChange: (type: 'started' | 'updated' | 'ended', playback: PlaybackView) => void
}

type PlaybackEvent = 'playback.started' | 'playback.paused' | 'playback.resumed' | 'playback.updated'

const nothing = () => {}

/**
 * The files and live transmissions that are played into one session. Each method takes what is to be called between its
 * success and the events that it causes: the caller's answer.
 */
export class SessionPlaybacks {
  readonly #options: SessionPlaybacksOptions
  /** All that have begun, also those that are over. */
  readonly #playbacks = new Map<string, LivePlayback>()
  readonly #starting = new Set<string>()
  #isOver = false

  constructor(options: SessionPlaybacksOptions) {
    this.#options = options
    const { media } = options
    media.on(
      'addressWanted',
      ({ questionId, url, protocols }) => void this.#judge(questionId, url, protocols),
    )
    media.on('playbackChanged', ({ playbackId, ...state }) => this.#follow(playbackId, state))
    media.on('playbackEnded', ({ playbackId, reason, positionMs }) => {
      const playback = this.#playbacks.get(playbackId)
      if (!playback?.isRunning) return
      playback.follow({ positionMs, isMoving: false })
      this.#complete(playback, reason)
    })
  }

  get all(): readonly PlaybackView[] {
    return [...this.#playbacks.values()]
  }

  get running(): readonly PlaybackView[] {
    return this.#running
  }

  /** Those that have a picture, for the layout. */
  get placed(): readonly PlacedFile[] {
    return this.#running.filter(({ hasPicture }) => hasPicture)
  }

  /**
   * Opens what lies at the address, and plays it.
   * @throws Refusal `invalid_parameter` for an address that may not be used, `exceeds_playback_limit`, `playback_not_opened`,
   * `session_ended`
   */
  async start(request: PlaybackRequest, answer: (playback: PlaybackView) => void = nothing): Promise<void> {
    const { checkOpen, limit, clock, layout, onChange } = this.#options
    checkOpen()
    if (this.#running.length + this.#starting.size >= limit) {
      throw new Refusal(
        'exceeds_playback_limit',
        `A session may have ${limit} playbacks at a time. Stop one first.`,
      )
    }
    const id = newId()
    this.#starting.add(id)
    const info = await this.#open(id, request).finally(() => this.#starting.delete(id))
    const playback = new LivePlayback({ id, ...request, ...info, clock })
    this.#playbacks.set(id, playback)
    answer(playback)
    if (playback.hasPicture) {
      layout.begin(playback, request.wish)
      layout.arrange()
    }
    this.#event('playback.started', playback)
    onChange('started', playback)
  }

  /** @throws Refusal `provided_id_is_unrecognized`, `invalid_state`, `media_failed` */
  async pause(id: string, answer: () => void = nothing): Promise<void> {
    const playback = this.#inState(id, 'playing')
    const state = await this.#asked(this.#options.media.pausePlayback(id))
    this.#change(playback, answer, 'playback.paused', () => playback.pause(state))
  }

  /** @throws Refusal as {@link pause} */
  async resume(id: string, answer: () => void = nothing): Promise<void> {
    const playback = this.#inState(id, 'paused')
    const state = await this.#asked(this.#options.media.resumePlayback(id))
    this.#change(playback, answer, 'playback.resumed', () => playback.resume(state))
  }

  /** @param volume -50 to 50 @throws Refusal as {@link pause} */
  async setVolume(id: string, volume: number, answer: () => void = nothing): Promise<void> {
    const playback = this.#runningOne(id)
    await this.#asked(this.#options.media.setPlaybackVolume(id, volume))
    this.#change(playback, answer, 'playback.updated', () => {
      playback.volume = volume
    })
  }

  /** @throws Refusal as {@link pause}; `invalid_state` also for a live transmission */
  async seek(id: string, positionMs: number, answer: () => void = nothing): Promise<void> {
    const playback = this.#runningOne(id)
    if (!playback.seekable)
      throw new Refusal('invalid_state', 'This playback is live. It has no position to go to.')
    const state = await this.#asked(this.#options.media.seekPlayback(id, Math.max(0, positionMs)))
    this.#change(playback, answer, 'playback.updated', () => playback.follow(state))
  }

  /** @param byMs forward, or backward if it is negative @throws Refusal as {@link seek} */
  async seekBy(id: string, byMs: number, answer: () => void = nothing): Promise<void> {
    return this.seek(id, this.#runningOne(id).positionMs + byMs, answer)
  }

  /** @throws Refusal `provided_id_is_unrecognized`, or `invalid_state` if it is over already */
  stop(id: string, answer: () => void = nothing): void {
    const playback = this.#runningOne(id)
    answer()
    this.#complete(playback, 'stopped')
    this.#stopMedia(id)
  }

  /** The session is over. The media room ends what is played when it closes. */
  endAll(): void {
    this.#isOver = true
    for (const playback of this.#running) this.#complete(playback, 'session_ended')
  }

  get #running(): LivePlayback[] {
    return [...this.#playbacks.values()].filter(({ isRunning }) => isRunning)
  }

  async #open(id: string, { url, volume, positionMs }: PlaybackRequest): Promise<PlaybackInfo> {
    const { targets, media } = this.#options
    await targets.check(url, PLAYBACK_PROTOCOLS, 'url').catch((cause: unknown) => {
      const message =
        'The address must begin with https://, http://, rtmp:// or rtmps://, and lead to a server on the internet.'
      throw new Refusal('invalid_parameter', { message, cause })
    })
    const info = await media
      .startPlayback({ playbackId: id, url, volume, positionMs })
      .catch((cause: unknown) => {
        throw this.#isOver ? new Refusal('session_ended') : new Refusal('playback_not_opened', { cause })
      })
    if (!this.#isOver) return info
    this.#stopMedia(id)
    throw new Refusal('session_ended')
  }

  /** Applies a change unless the playback has ended meanwhile. */
  #change(playback: LivePlayback, answer: () => void, event: PlaybackEvent, apply: () => void): void {
    if (!playback.isRunning) throw new Refusal('invalid_state', 'The playback has ended.')
    apply()
    answer()
    this.#event(event, playback)
    this.#options.onChange('updated', playback)
  }

  /** The worker says where it is. Clients are told if that is not where they expect it. */
  #follow(id: string, state: PlaybackState): void {
    const playback = this.#playbacks.get(id)
    if (!playback?.isRunning) return
    if (playback.follow(state)) this.#options.onChange('updated', playback)
  }

  #complete(playback: LivePlayback, reason: PlaybackEnd | 'stopped' | 'session_ended'): void {
    const { layout, writes, onChange } = this.#options
    playback.end()
    if (playback.hasPicture) layout.end(playback)
    if (playback.hasPicture && !this.#isOver) layout.arrange()
    writes.event('playback.ended', {
      level: reason === 'lost' ? 'warning' : 'info',
      payload: { playback_id: playback.id, position_ms: playback.positionMs, reason },
    })
    onChange('ended', playback)
  }

  /** Decides about an address that a playback leads to, and resolves it. */
  async #judge(questionId: number, url: string, protocols: readonly string[]): Promise<void> {
    const { targets, media } = this.#options
    const usable = PLAYBACK_PROTOCOLS.filter((protocol) => protocols.includes(protocol))
    const target = await targets.resolve(url, usable, 'url').catch(() => null)
    const connection: ConnectionTarget | null = target && {
      host: target.host,
      address: target.address,
      port: target.port ?? DEFAULT_PORTS[target.protocol] ?? 0,
      tls: target.protocol.endsWith('s'),
    }
    await media
      .giveAddress(questionId, connection)
      .catch((error: unknown) => this.#log(error, 'address not given to the media worker'))
  }

  #runningOne(id: string): LivePlayback {
    const playback = this.#playbacks.get(id)
    if (!playback) throw new Refusal('provided_id_is_unrecognized', 'This session has no such playback.')
    if (!playback.isRunning) throw new Refusal('invalid_state', 'The playback has ended.')
    return playback
  }

  #inState(id: string, state: PlaybackView['state']): LivePlayback {
    const playback = this.#runningOne(id)
    if (playback.state === state) return playback
    throw new Refusal('invalid_state', `The playback is not ${state}; it is ${playback.state}.`)
  }

  async #asked<Result>(request: Promise<Result>): Promise<Result> {
    return request.catch((cause: unknown) => {
      throw new Refusal('media_failed', { message: 'The playback could not be changed. Try again.', cause })
    })
  }

  #stopMedia(id: string): void {
    this.#options.media
      .stopPlayback(id)
      .catch((error: unknown) => this.#log(error, 'playback not stopped by the media worker'))
  }

  /** Writes an event with the playback's id. Its address must never be written, because it may hold a secret. */
  #event(name: PlaybackEvent, { id, positionMs, volume }: LivePlayback): void {
    this.#options.writes.event(name, {
      payload: { playback_id: id, position_ms: positionMs, ...(name === 'playback.updated' && { volume }) },
    })
  }

  #log(error: unknown, message: string): void {
    this.#options.log.warn({ err: error, sessionId: this.#options.sessionId }, message)
  }
}
