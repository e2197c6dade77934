import type { SteadyClock } from '../../clock.ts'
import type { PlaybackState } from '../../media/channel.ts'
import type { PlaybackView } from './participant.ts'
import type { Placeable } from './requested-positions.ts'

/** A position that differs from the expected one by more than this is told to clients. */
const TOLERANCE_MS = 250

/** A file or a live transmission that is played into a session. */
export class LivePlayback implements PlaybackView, Placeable {
  readonly id: string
  readonly url: string
  readonly seekable: boolean
  readonly hasPicture: boolean
  readonly durationMs: number | null
  readonly startedAt: number
  endedAt: number | null = null
  volume: number
  requestedPosition = 'auto'
  /** Later than every request, so that a newcomer takes nobody's place. */
  requestOrder = Number.MAX_SAFE_INTEGER
  readonly #clock: SteadyClock
  #isPaused = false
  #positionMs: number
  /** Since when it has been moving from `positionMs`. Null while it stands still. */
  #movingSince: number | null = null

  constructor(options: {
    id: string
    url: string
    volume: number
    positionMs: number
    isSeekable: boolean
    hasPicture: boolean
    durationMs: number | null
    clock: SteadyClock
  }) {
    this.id = options.id
    this.url = options.url
    this.volume = options.volume
    this.seekable = options.isSeekable
    this.hasPicture = options.hasPicture
    this.durationMs = options.durationMs
    this.#clock = options.clock
    this.startedAt = options.clock.now()
    this.#positionMs = options.isSeekable ? options.positionMs : 0
  }

  get state(): PlaybackView['state'] {
    if (this.endedAt !== null) return 'completed'
    return this.#isPaused ? 'paused' : 'playing'
  }

  get isRunning(): boolean {
    return this.endedAt === null
  }

  get positionMs(): number {
    const movedMs = this.#movingSince === null ? 0 : this.#clock.now() - this.#movingSince
    return Math.round(this.#positionMs + movedMs)
  }

  pause(state: PlaybackState): void {
    this.#isPaused = true
    this.follow(state)
  }

  resume(state: PlaybackState): void {
    this.#isPaused = false
    this.follow(state)
  }

  /** Takes over where the media worker has it. @returns whether it was expected elsewhere */
  follow({ positionMs, isMoving }: PlaybackState): boolean {
    const isElsewhere = Math.abs(positionMs - this.positionMs) > TOLERANCE_MS
    this.#positionMs = positionMs
    this.#movingSince = isMoving && this.isRunning ? this.#clock.now() : null
    return isElsewhere
  }

  end(): void {
    this.#positionMs = this.positionMs
    this.#movingSince = null
    this.endedAt = this.#clock.now()
  }
}
