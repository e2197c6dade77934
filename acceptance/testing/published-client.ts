import { timePasses } from '../../server/src/testing/time-passes.ts'
import type {
  CallOutcome,
  JoinedAs,
  ParticipantPage,
  PlaybackMethod,
  Rejection,
} from '../page/participant.ts'
import type { ReceivedVideo } from '../page/peer-connections.ts'
import type { PresentedFrame, Region, Rgb } from '../page/picture.ts'
import type { Spectrum } from '../page/sound.ts'
import { EventLog } from './event-log.ts'
import { eventually, within } from './eventually.ts'

/** One tile of `layout.changed`. */
export interface Layer extends Region {
  member_id?: string
  position: string
  visible: boolean
  playing_file?: boolean
}

/** Parameters of `layout.changed`. */
export interface LayoutChanged {
  layout: { name: string; layers: Layer[] }
}

/** Parameters of `member.joined`, `member.updated` and `member.left`. */
export interface MemberEvent {
  member: { id: string; name: string } & Record<string, unknown>
}

const JOIN_TIMEOUT_MS = 30_000
const CALL_TIMEOUT_MS = 15_000

/** The client refused a call, or passed on a refusal of the server. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: string

  constructor(what: string, { code, message }: Rejection) {
    super(`${what}: ${code} ${message}`)
    this.code = code
  }
}

/** The published client in a page of some browser. */
export abstract class PublishedClient {
  readonly name: string
  readonly events: EventLog
  /** The room token that this client joined with. */
  token = ''
  /** Set by `join`. */
  joinedAs: JoinedAs | null = null

  constructor(name: string) {
    this.name = name
    this.events = new EventLog(name)
  }

  /** Calls one function of the page. */
  abstract ask<K extends keyof ParticipantPage>(
    operation: K,
    ...args: Parameters<ParticipantPage[K]>
  ): Promise<Awaited<ReturnType<ParticipantPage[K]>>>

  #unwrap<T>(what: string, outcome: CallOutcome): T {
    if (!outcome.ok) throw new Refused(`${this.name}: ${what}`, outcome.error)
    return outcome.value as T
  }

  /**
   * Joins with nothing but the token.
   * @throws Refused when the client's promise is rejected
   */
  async join(token: string): Promise<JoinedAs> {
    const outcome = await within(`${this.name}: join()`, JOIN_TIMEOUT_MS, this.ask('join', token))
    this.joinedAs = this.#unwrap<JoinedAs>('join()', outcome)
    this.token = token
    return this.joinedAs
  }

  /** Joins and waits for the first presented frame of the composed picture. The time is in Unix milliseconds. */
  async joinAndAwaitFirstFrame(token: string): Promise<JoinedAs & { firstFrameAtMs: number }> {
    const work = this.ask('joinAndAwaitFirstFrame', token)
    const outcome = await within(`${this.name}: first frame`, JOIN_TIMEOUT_MS, work)
    const joinedAs = this.#unwrap<JoinedAs & { firstFrameAtMs: number }>('join()', outcome)
    this.joinedAs = joinedAs
    return joinedAs
  }

  /** The caller's own member id. */
  get memberId(): string {
    if (this.joinedAs === null) throw new Error(`${this.name} has not joined`)
    return this.joinedAs.memberId
  }

  /** The running session's id. */
  get roomSessionId(): string {
    if (this.joinedAs === null) throw new Error(`${this.name} has not joined`)
    return this.joinedAs.roomSessionId
  }

  /**
   * Calls a method of the client's room session.
   * @throws Refused when its promise is rejected
   */
  async call<T = unknown>(method: string, ...parameters: unknown[]): Promise<T> {
    const work = this.ask('call', method, parameters)
    return this.#unwrap<T>(`${method}()`, await within(`${this.name}: ${method}()`, CALL_TIMEOUT_MS, work))
  }

  /** Returns the refusal of a call. Fails if the call was not refused. */
  async refusalOf(work: Promise<unknown>): Promise<Refused> {
    try {
      await work
    } catch (error) {
      if (error instanceof Refused) return error
      throw error
    }
    throw new Error(`${this.name}: it was allowed`)
  }

  /** Stops, pauses or resumes a recording through the client's own recording object. */
  async onRecording(recordingId: string, method: 'pause' | 'resume' | 'stop'): Promise<void> {
    const work = this.ask('onRecording', recordingId, method)
    this.#unwrap(`recording.${method}()`, await within(`recording.${method}()`, CALL_TIMEOUT_MS, work))
  }

  /** Calls a method of the client's own playback object. */
  async onPlayback(playbackId: string, method: PlaybackMethod, ...parameters: unknown[]): Promise<void> {
    const work = this.ask('onPlayback', playbackId, method, parameters)
    this.#unwrap(`playback.${method}()`, await within(`playback.${method}()`, CALL_TIMEOUT_MS, work))
  }

  /** Leaves as an application does. */
  async leave(): Promise<void> {
    await this.call('leave')
  }

  /** Tiles of the newest layout that hold a member. */
  tiles(): Layer[] {
    const { params } = this.events.last('layout.changed') ?? {}
    const layers = (params as LayoutChanged | undefined)?.layout.layers ?? []
    return layers.filter(({ member_id }) => member_id !== undefined && member_id !== '')
  }

  /**
   * Waits for a layout with exactly these members in tiles.
   * @returns the tiles, by member id
   */
  async layoutOf(memberIds: readonly string[], timeoutMs = 10_000): Promise<Map<string, Layer>> {
    const wanted = [...memberIds].sort().join()
    const seen = await eventually(
      `${this.name}: layout with ${memberIds.length} tiles`,
      async () => this.tiles(),
      (tiles) =>
        tiles
          .map(({ member_id }) => member_id)
          .sort()
          .join() === wanted,
      { timeoutMs },
    )
    return new Map(seen.map((layer) => [layer.member_id ?? '', layer]))
  }

  /** Colours of these regions of the composed picture as it is now; nulls before the first frame. */
  async coloursAt(regions: Region[]): Promise<(Rgb | null)[]> {
    return (await this.ask('coloursAt', regions)) ?? regions.map(() => null)
  }

  /** Level of each tone in the last 0.7 s, in dBFS, and the noise floor around them. */
  async spectrum(frequencies: number[]): Promise<Spectrum> {
    const heard = await this.ask('spectrum', frequencies)
    return heard ?? { tones: frequencies.map(() => -200), floor: -200 }
  }

  /** Waits until the browser has decoded `count` more frames of the composed picture. */
  async moreFrames(count = 5, timeoutMs = 15_000): Promise<ReceivedVideo> {
    const start = (await this.ask('receivedVideo'))?.framesDecoded ?? 0
    const seen = await eventually(
      `${this.name}: ${count} more frames of the composed picture`,
      () => this.ask('receivedVideo'),
      (stats) => (stats?.framesDecoded ?? 0) >= start + count,
      { timeoutMs },
    )
    if (seen === null) throw new Error('unreachable: no statistics')
    return seen
  }

  /** Records when every frame is presented for `durationMs`, but not its content. */
  async watchPace(durationMs: number): Promise<PresentedFrame[]> {
    await this.ask('watchPace')
    await timePasses(durationMs, 'frames are noted')
    return this.ask('stopWatching')
  }

  /** Records every presented frame of a region for `durationMs`. */
  async watch(region: Region, durationMs: number): Promise<PresentedFrame[]> {
    await this.ask('watchRegion', region)
    await timePasses(durationMs, 'frames are noted')
    return this.ask('stopWatching')
  }
}
