import { createDecipheriv } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ByteSource } from '../codecs/media-demuxer.ts'
import type { AddressJudge } from './address-judge.ts'
import {
  type HlsKey,
  type HlsMediaPlaylist,
  type HlsSegment,
  type HlsVariant,
  readMediaPlaylist,
  readVariants,
} from './hls-playlist.ts'
import { readWhole, requestWeb } from './web-request.ts'

const PLAYLIST_BYTES = 8 * 1024 * 1024
/** Of a segment of ten seconds, 50 Mbit/s. A segment is read whole, because it may have to be deciphered. */
const SEGMENT_BYTES = 64 * 1024 * 1024
const KEY_BYTES = 16
/** How long a playlist, a key or a segment may take, in milliseconds. */
const PLAYLIST_TIMEOUT_MS = 5000
const SEGMENT_TIMEOUT_MS = 15_000
/** A live transmission begins this many segments before its end (RFC 8216, section 6.3.3). */
const SEGMENTS_BEHIND_LIVE = 3
/** A live transmission without a new segment for this many of its target durations is over. */
const MOST_WAITS = 6
const RETRY_MS = 1000
/** The largest quality that is useful. */
const WANTED_HEIGHT = 720

export interface HlsOptions {
  url: string
  judge: AddressJudge
  signal: AbortSignal
}

/** What a playlist leads to: picture and sound, or the sound apart from the picture. */
export interface HlsSources {
  main: HlsSource
  /** Null where `main` has it. */
  sound: HlsSource | null
}

/**
 * What a playlist leads to (RFC 8216): chooses a quality, gets segment after segment, and gives their bytes as one. Each address
 * is judged, as it is requested by {@link requestWeb}.
 */
export class HlsSource implements ByteSource {
  readonly sizeInBytes = null
  readonly #options: HlsOptions
  readonly #abort = new AbortController()
  #playlist: HlsMediaPlaylist
  #playlistReadMs = performance.now()
  readonly #url: string
  /** Number of the segment that is read next. */
  #next: number
  #data: Buffer = Buffer.alloc(0)
  #map: HlsSegment['map'] = null
  readonly #keys = new Map<string, Buffer>()

  /** @param text of the playlist at the address */
  static async open(options: HlsOptions, text: string): Promise<HlsSources> {
    const variant = chooseVariant(text, options.url)
    if (variant === null)
      return { main: new HlsSource(options, options.url, readMediaPlaylist(text, options.url)), sound: null }
    const { url, soundUrl } = variant
    const isSeparate = soundUrl !== null && soundUrl !== url
    return {
      main: await HlsSource.#at(url, options),
      sound: isSeparate ? await HlsSource.#at(soundUrl, options) : null,
    }
  }

  static async #at(playlistUrl: string, options: HlsOptions): Promise<HlsSource> {
    const { url, body } = await getText(playlistUrl, options)
    return new HlsSource(options, url, readMediaPlaylist(body, url))
  }

  private constructor(options: HlsOptions, url: string, playlist: HlsMediaPlaylist, from?: number) {
    this.#options = options
    this.#url = url
    this.#playlist = playlist
    const { segments, isComplete } = playlist
    if (segments.length === 0) throw new Error('the playlist has no segments')
    const first = isComplete ? 0 : Math.max(0, segments.length - SEGMENTS_BEHIND_LIVE)
    this.#next = from ?? segments[first]!.sequence
    options.signal.addEventListener('abort', () => this.close(), { once: true })
    if (options.signal.aborted) this.close()
  }

  /** Null for a live transmission. */
  get durationMs(): number | null {
    const { segments, isComplete } = this.#playlist
    return isComplete ? segments.reduce((sum, { durationMs }) => sum + durationMs, 0) : null
  }

  /** A source of the same that begins with the segment of this position. */
  from(positionMs: number): { source: HlsSource; startsAtMs: number } {
    const { segments } = this.#playlist
    let startsAtMs = 0
    let index = 0
    while (index < segments.length - 1 && startsAtMs + segments[index]!.durationMs <= positionMs)
      startsAtMs += segments[index++]!.durationMs
    const source = new HlsSource(this.#options, this.#url, this.#playlist, segments[index]!.sequence)
    return { source, startsAtMs }
  }

  async read(size: number): Promise<Buffer | null> {
    while (this.#data.length === 0) {
      const segment = await this.#nextSegment()
      if (!segment) return null
      this.#data = await this.#get(segment).catch(() => this.#getAgain(segment))
      this.#next = segment.sequence + 1
    }
    const data = this.#data.subarray(0, size)
    this.#data = this.#data.subarray(data.length)
    return data
  }

  seek(): void {
    throw new Error('a playlist is not sought in by bytes')
  }

  close(): void {
    this.#abort.abort()
  }

  /** Waits for it where it is live. @returns null at the end */
  async #nextSegment(): Promise<HlsSegment | null> {
    for (let waits = 0; waits <= MOST_WAITS; waits++) {
      this.#abort.signal.throwIfAborted()
      const { segments, isComplete, targetMs } = this.#playlist
      // One that was missed is gone: the next that there is.
      const segment = segments.find(({ sequence }) => sequence >= this.#next)
      if (segment || isComplete) return segment ?? null
      const dueMs = this.#playlistReadMs + Math.max(500, targetMs / 2) - performance.now()
      await sleep(Math.max(0, dueMs), undefined, { signal: this.#abort.signal })
      await this.#refresh()
    }
    return null
  }

  async #refresh(): Promise<void> {
    this.#playlistReadMs = performance.now()
    const { judge } = this.#options
    // A failure may pass. If it does not, no new segments come.
    const answer = await getText(this.#url, { judge, signal: this.#abort.signal }).catch(() => null)
    if (answer) this.#playlist = readMediaPlaylist(answer.body, answer.url)
  }

  async #get(segment: HlsSegment): Promise<Buffer> {
    const parts: Buffer[] = []
    if (segment.map && segment.map.url !== this.#map?.url) {
      this.#map = segment.map
      parts.push(await this.#download(segment.map.url, segment.map.bytes))
    }
    const data = await this.#download(segment.url, segment.bytes)
    parts.push(segment.key ? await this.#decipher(data, segment.key) : data)
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  }

  /** A server may be late with a segment that it has announced. */
  async #getAgain(segment: HlsSegment): Promise<Buffer> {
    await sleep(RETRY_MS, undefined, { signal: this.#abort.signal })
    this.#map = null
    return this.#get(segment)
  }

  async #download(url: string, bytes: { from: number; to: number } | null): Promise<Buffer> {
    const { judge } = this.#options
    const answer = await requestWeb(url, { judge, signal: this.#abort.signal, ...bytes })
    const data = await readWhole(answer, { most: SEGMENT_BYTES, timeoutMs: SEGMENT_TIMEOUT_MS })
    return bytes && answer.status === 200 ? data.subarray(bytes.from, bytes.to + 1) : data
  }

  async #decipher(data: Buffer, { url, iv }: HlsKey): Promise<Buffer> {
    const { judge } = this.#options
    let key = this.#keys.get(url)
    if (!key) {
      const answer = await requestWeb(url, { judge, signal: this.#abort.signal })
      key = await readWhole(answer, { most: KEY_BYTES, timeoutMs: PLAYLIST_TIMEOUT_MS })
      // Keys change from time to time.
      this.#keys.clear()
      this.#keys.set(url, key)
    }
    const decipher = createDecipheriv('aes-128-cbc', key, iv)
    return Buffer.concat([decipher.update(data), decipher.final()])
  }
}

/** The best that is not larger than needed; null for a playlist of segments. */
function chooseVariant(text: string, url: string): HlsVariant | null {
  const variants = readVariants(text, url).toSorted((one, other) => one.bandwidthBps - other.bandwidthBps)
  const fitting = variants.filter(({ heightPixels }) => (heightPixels ?? 0) <= WANTED_HEIGHT)
  return fitting.at(-1) ?? variants[0] ?? null
}

async function getText(
  url: string,
  { judge, signal }: Pick<HlsOptions, 'judge' | 'signal'>,
): Promise<{ url: string; body: string }> {
  const answer = await requestWeb(url, { judge, signal })
  const body = await readWhole(answer, { most: PLAYLIST_BYTES, timeoutMs: PLAYLIST_TIMEOUT_MS })
  return { url: answer.url, body: body.toString('utf8') }
}
