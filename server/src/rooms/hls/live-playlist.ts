import type { HlsPart } from '../../media/channel.ts'

/** No segment lasts longer, in seconds. */
const TARGET_DURATION = 4
/** No part lasts longer, in seconds: see `media-worker/outputs/live-segments.ts`. */
const PART_TARGET = 0.55
/** Segments that are listed, some 20 s of them. More are kept, for whoever is late. */
const LISTED = 10
/** Segments whose bytes are kept. */
const KEPT = 20
/** Older parts are not listed: players begin at the end (RFC 8216bis, section 6.2.2). */
const LISTED_PARTS_SECONDS = 3 * TARGET_DURATION

interface LiveSegment {
  number: number
  parts: HlsPart[]
  isComplete: boolean
}

/** What a playlist has: the number of its last segment, and of the last part in that. */
export interface PlaylistEnd {
  segment: number
  part: number
}

/** The live playlist of one session (RFC 8216bis): what its worker has made of late, as text, and who waits for more. */
export class LivePlaylist {
  readonly #segments: LiveSegment[] = []
  #isOver = false
  #text: string | null = null
  readonly #waiting = new Set<() => void>()

  /** Adds what the worker has just made, in its order. */
  add(part: HlsPart): void {
    let last = this.#segments.at(-1)
    if (last?.number !== part.segment) {
      if (last) last.isComplete = true
      last = { number: part.segment, parts: [], isComplete: false }
      this.#segments.push(last)
      if (this.#segments.length > KEPT) this.#segments.shift()
    }
    last.parts.push(part)
    last.isComplete = part.isLast
    this.#wake()
  }

  /** No more comes. */
  end(): void {
    this.#isOver = true
    const last = this.#segments.at(-1)
    if (last) last.isComplete = true
    this.#wake()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Null before the first part. */
  get newest(): PlaylistEnd | null {
    const last = this.#segments.at(-1)
    return last ? { segment: last.number, part: last.parts.length - 1 } : null
  }

  /**
   * Whether the playlist has that segment, with all of it or up to that part. A part that its segment turned out not to have
   * is the first one of the next (RFC 8216bis, section 6.2.5.2).
   */
  has(segment: number, part: number | null): boolean {
    const last = this.#segments.at(-1)
    if (this.#isOver || !last) return this.#isOver
    if (last.number !== segment) return last.number > segment
    return last.isComplete || (part !== null && last.parts.length > part)
  }

  /** Resolves when {@link has} may have changed, or after a while. */
  changed(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, timeoutMs)
      this.#waiting.add(done)
    })
  }

  /** The bytes of a part, or of a whole segment that is complete; undefined for what is not there. */
  bytesOf(number: number, part: number | null): { offset: number; length: number } | undefined {
    const segment = this.#segments.find((one) => one.number === number)
    if (!segment) return undefined
    if (part !== null) return segment.parts[part]
    const last = segment.parts.at(-1)
    return segment.isComplete && last ? { offset: 0, length: last.offset + last.length } : undefined
  }

  /** The playlist now. Empty of segments before the first part. Many ask for the same one. */
  text(): string {
    this.#text ??= this.#written()
    return this.#text
  }

  #written(): string {
    const listed = this.#segments.slice(-LISTED)
    const lines = [
      '#EXTM3U',
      '#EXT-X-VERSION:9',
      `#EXT-X-TARGETDURATION:${TARGET_DURATION}`,
      `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${(3 * PART_TARGET).toFixed(2)},HOLD-BACK=${3 * TARGET_DURATION}`,
      `#EXT-X-PART-INF:PART-TARGET=${PART_TARGET}`,
      `#EXT-X-MEDIA-SEQUENCE:${listed[0]?.number ?? 0}`,
      '#EXT-X-INDEPENDENT-SEGMENTS',
      '#EXT-X-MAP:URI="init.mp4"',
    ]
    let secondsToEnd = listed.reduce((sum, segment) => sum + secondsOf(segment), 0)
    for (const segment of listed) {
      lines.push(...linesOf(segment, secondsToEnd <= LISTED_PARTS_SECONDS || segment === listed.at(-1)))
      secondsToEnd -= secondsOf(segment)
    }
    lines.push(...this.#lastLines(listed.at(-1)))
    return `${lines.join('\n')}\n`
  }

  #lastLines(last: LiveSegment | undefined): string[] {
    if (this.#isOver) return ['#EXT-X-ENDLIST']
    const [segment, part] = !last
      ? [0, 0]
      : last.isComplete
        ? [last.number + 1, 0]
        : [last.number, last.parts.length]
    return [`#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${segment}.${part}.m4s"`]
  }

  #wake(): void {
    this.#text = null
    for (const done of [...this.#waiting]) done()
  }
}

const secondsOf = ({ parts }: LiveSegment) =>
  parts.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000

function linesOf(segment: LiveSegment, withParts: boolean): string[] {
  const lines: string[] = []
  const [first] = segment.parts
  if (first) lines.push(`#EXT-X-PROGRAM-DATE-TIME:${new Date(first.startedAt).toISOString()}`)
  for (const { part, durationMs, isIndependent } of withParts ? segment.parts : []) {
    const independent = isIndependent ? ',INDEPENDENT=YES' : ''
    lines.push(
      `#EXT-X-PART:DURATION=${(durationMs / 1000).toFixed(5)},URI="${segment.number}.${part}.m4s"${independent}`,
    )
  }
  if (segment.isComplete) lines.push(`#EXTINF:${secondsOf(segment).toFixed(5)},`, `${segment.number}.m4s`)
  return lines
}
