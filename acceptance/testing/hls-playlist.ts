/** A media playlist of low-latency HLS, read strictly: it throws where RFC 8216bis is broken. */
export interface HlsPlaylist {
  mediaSequence: number
  partTarget: number
  partHoldBack: number
  segments: HlsSegment[]
  hint: string | null
  hasEnded: boolean
}

export interface HlsSegment {
  /** Null while it is not complete. */
  uri: string | null
  seconds: number
  /** Unix milliseconds. */
  startedAtMs: number | null
  parts: { uri: string; seconds: number; isIndependent: boolean }[]
}

/** @throws Error that names the broken rule */
export function readHlsPlaylist(text: string): HlsPlaylist {
  const lines = text.split('\n')
  must(lines[0] === '#EXTM3U', 'begins with #EXTM3U')
  must(lines.at(-1) === '', 'ends with a line break')
  must(Number(tagOf(lines, 'EXT-X-VERSION')) >= 9, 'has a version that knows parts')
  const target = Number(tagOf(lines, 'EXT-X-TARGETDURATION'))
  const control = attributes(tagOf(lines, 'EXT-X-SERVER-CONTROL'))
  const partTarget = Number(attributes(tagOf(lines, 'EXT-X-PART-INF'))['PART-TARGET'])
  const partHoldBack = Number(control['PART-HOLD-BACK'])
  must(control['CAN-BLOCK-RELOAD'] === 'YES', 'can block')
  must(partHoldBack >= 3 * partTarget - 1e-9, 'holds three parts back (section 4.4.3.8)')
  must(Number(control['HOLD-BACK']) >= 3 * target, 'holds three segments back (section 4.4.3.8)')
  must(attributes(tagOf(lines, 'EXT-X-MAP')).URI === 'init.mp4', 'has an initialization section')
  const segments: HlsSegment[] = []
  let open: HlsSegment = empty()
  let hint: string | null = null
  for (const [index, line] of lines.entries()) {
    const value = line.slice(line.indexOf(':') + 1)
    if (line.startsWith('#EXT-X-PROGRAM-DATE-TIME:')) open.startedAtMs = Date.parse(value)
    if (line.startsWith('#EXT-X-PART:')) {
      const { URI = '', DURATION, INDEPENDENT } = attributes(value)
      open.parts.push({ uri: URI, seconds: Number(DURATION), isIndependent: INDEPENDENT === 'YES' })
    }
    if (line.startsWith('#EXTINF:')) {
      segments.push({ ...open, uri: lines[index + 1] ?? '', seconds: Number.parseFloat(value) })
      open = empty()
    }
    if (line.startsWith('#EXT-X-PRELOAD-HINT:')) hint = attributes(value).URI ?? null
  }
  if (open.parts.length > 0) segments.push(open)
  for (const segment of segments) checkSegment(segment, target)
  const mediaSequence = Number(tagOf(lines, 'EXT-X-MEDIA-SEQUENCE'))
  const hasEnded = lines.includes('#EXT-X-ENDLIST')
  return { mediaSequence, partTarget, partHoldBack, segments, hint, hasEnded }
}

const empty = (): HlsSegment => ({ uri: null, seconds: 0, startedAtMs: null, parts: [] })

/**
 * How long parts are is not judged here: a machine that is overloaded leaves pictures out. `live-segments.test.ts` judges it in
 * the time of the room.
 */
function checkSegment({ uri, seconds, parts }: HlsSegment, target: number): void {
  must(Math.round(seconds) <= target, `${uri} is no longer than the target (section 4.4.3.1)`)
  must(parts.length === 0 || parts[0]?.isIndependent === true, `${uri} begins with a keyframe`)
  const sum = parts.reduce((total, part) => total + part.seconds, 0)
  must(uri === null || parts.length === 0 || Math.abs(sum - seconds) < 0.01, `${uri} is as long as its parts`)
}

function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`The playlist breaks a rule: ${rule}`)
}

function tagOf(lines: readonly string[], tag: string): string {
  const found = lines.filter((line) => line.startsWith(`#${tag}:`))
  must(found.length === 1, `has ${tag} once`)
  return found[0]?.slice(tag.length + 2) ?? ''
}

/** Section 4.2. */
function attributes(text: string): Record<string, string> {
  const found = text.matchAll(/([A-Z0-9-]+)=(?:"([^"]*)"|([^,]*))/g)
  return Object.fromEntries([...found].map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? '']))
}
