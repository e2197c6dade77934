/** A stretch of media of an HLS playlist (RFC 8216, section 3). */
export interface HlsSegment {
  url: string
  /** First and last byte, where it is a part of what lies there. */
  bytes: { from: number; to: number } | null
  durationMs: number
  /** Number within the transmission. */
  sequence: number
  /** What comes before the first segment that has it, such as the header of an MP4. */
  map: { url: string; bytes: { from: number; to: number } | null } | null
  key: HlsKey | null
}

/** AES-128 in CBC mode (section 5.2). */
export interface HlsKey {
  url: string
  iv: Buffer
}

/** A playlist of segments. */
export interface HlsMediaPlaylist {
  segments: HlsSegment[]
  targetMs: number
  /** No segments will be added. */
  isComplete: boolean
}

/** One of several qualities of the same. */
export interface HlsVariant {
  url: string
  bandwidthBps: number
  /** Null where the playlist does not say it. */
  heightPixels: number | null
  /** Playlist of its sound, where that is not in the same segments as the picture. */
  soundUrl: string | null
}

/** A playlist has no more lines than this; a segment of a second each makes two days. */
const MOST_LINES = 500_000

/** Whether this is the beginning of an HLS playlist. */
export const isHls = (head: Buffer): boolean => head.subarray(0, 7).equals(Buffer.from('#EXTM3U'))

/** The qualities of a master playlist; none for a playlist of segments. @throws Error for a broken address */
export function readVariants(text: string, url: string): HlsVariant[] {
  const sounds = soundsOf(text)
  const variants: HlsVariant[] = []
  let attributes: Map<string, string> | null = null
  for (const line of linesOf(text)) {
    if (line.startsWith('#EXT-X-STREAM-INF:')) attributes = attributesOf(line)
    else if (!line.startsWith('#') && attributes) {
      const height = /x(\d+)$/.exec(attributes.get('RESOLUTION') ?? '')?.[1]
      const sound = sounds.get(attributes.get('AUDIO') ?? '')
      variants.push({
        url: new URL(line, url).href,
        bandwidthBps: Number(attributes.get('BANDWIDTH') ?? 0),
        heightPixels: height === undefined ? null : Number(height),
        soundUrl: sound === undefined ? null : new URL(sound, url).href,
      })
      attributes = null
    }
  }
  return variants
}

/** Addresses of the sounds that have playlists of their own: the default one of each group, or else its first (section 4.3.4.1). */
function soundsOf(text: string): Map<string, string> {
  const sounds = new Map<string, string>()
  const defaults = new Set<string>()
  for (const line of linesOf(text)) {
    if (!line.startsWith('#EXT-X-MEDIA:')) continue
    const attributes = attributesOf(line)
    const [group = '', isDefault] = [attributes.get('GROUP-ID'), attributes.get('DEFAULT') === 'YES']
    if (attributes.get('TYPE') !== 'AUDIO' || defaults.has(group)) continue
    const uri = attributes.get('URI')
    if (isDefault) defaults.add(group)
    // A default without an address is the sound beside the picture.
    if (isDefault && uri === undefined) sounds.delete(group)
    if (uri !== undefined && (isDefault || !sounds.has(group))) sounds.set(group, uri)
  }
  return sounds
}

/** @throws Error for a playlist that cannot be played, such as one with a protection other than AES-128 */
export function readMediaPlaylist(text: string, url: string): HlsMediaPlaylist {
  const playlist: HlsMediaPlaylist = { segments: [], targetMs: 6000, isComplete: false }
  let sequence = 0
  let durationMs = 0
  let range: string | null = null
  let rangeEnd = 0
  let map: HlsSegment['map'] = null
  let key: { url: string; iv: string | undefined } | null = null
  for (const line of linesOf(text)) {
    const value = line.slice(line.indexOf(':') + 1)
    if (line.startsWith('#EXT-X-TARGETDURATION:')) playlist.targetMs = 1000 * numberOf(value)
    else if (line.startsWith('#EXT-X-MEDIA-SEQUENCE:')) sequence = numberOf(value)
    else if (line.startsWith('#EXT-X-ENDLIST')) playlist.isComplete = true
    else if (line.startsWith('#EXTINF:')) durationMs = 1000 * numberOf(value)
    else if (line.startsWith('#EXT-X-BYTERANGE:')) range = value
    else if (line.startsWith('#EXT-X-MAP:')) map = mapOf(attributesOf(line), url)
    else if (line.startsWith('#EXT-X-KEY:')) key = keyOf(attributesOf(line), url)
    else if (!line.startsWith('#')) {
      const bytes = range === null ? null : bytesOf(range, rangeEnd)
      rangeEnd = bytes ? bytes.to + 1 : 0
      playlist.segments.push({
        url: new URL(line, url).href,
        bytes,
        durationMs,
        sequence,
        map,
        key: key && { url: key.url, iv: initialVector(key.iv, sequence) },
      })
      sequence++
      range = null
    }
  }
  return playlist
}

function* linesOf(text: string): Generator<string> {
  const lines = text.split('\n', MOST_LINES)
  for (const line of lines) {
    const trimmed = line.trim()
    if (trimmed !== '') yield trimmed
  }
}

/** Attributes of a tag (section 4.2). */
function attributesOf(line: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', quoted, bare = ''] of line.matchAll(/([A-Z0-9-]+)=(?:"([^"]*)"|([^,]*))/g))
    attributes.set(name, quoted ?? bare)
  return attributes
}

function numberOf(text: string): number {
  const number = Number.parseFloat(text)
  if (!(number >= 0 && number < 1e9)) throw new Error('a number of the playlist cannot be read')
  return number
}

function mapOf(attributes: Map<string, string>, url: string): NonNullable<HlsSegment['map']> {
  const range = attributes.get('BYTERANGE')
  return {
    url: new URL(attributes.get('URI') ?? '', url).href,
    bytes: range === undefined ? null : bytesOf(range, 0),
  }
}

function keyOf(attributes: Map<string, string>, url: string): { url: string; iv: string | undefined } | null {
  const method = attributes.get('METHOD')
  if (method === 'NONE') return null
  if (method !== 'AES-128') throw new Error('the segments are protected in a way that is not supported')
  return { url: new URL(attributes.get('URI') ?? '', url).href, iv: attributes.get('IV') }
}

/** `length@offset`; without the offset it follows the range before. */
function bytesOf(range: string, after: number): { from: number; to: number } {
  const [length = '', offset] = range.split('@')
  const from = offset === undefined ? after : numberOf(offset)
  return { from, to: from + numberOf(length) - 1 }
}

/** By default the number of the segment (section 5.2). */
function initialVector(iv: string | undefined, sequence: number): Buffer {
  if (iv !== undefined) return Buffer.from(iv.replace(/^0x/i, '').padStart(32, '0').slice(-32), 'hex')
  const buffer = Buffer.alloc(16)
  buffer.writeUInt32BE(sequence >>> 0, 12)
  return buffer
}
