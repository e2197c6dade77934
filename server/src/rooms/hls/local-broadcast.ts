import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from '../../errors/refusal.ts'
import type { LivePlaylist } from './live-playlist.ts'
import type { HlsMedia, WantedEnd } from './watching.ts'

/** How long a request waits for what it asked for: three target durations (RFC 8216bis, section 6.2.5.2). */
export const LONGEST_WAIT_MS = 12_000

/** A segment has eight parts of half a second, or some more where keyframes come late. */
const MOST_PARTS = 40

/** The playlist of a session that runs here, as {@link Watching.playlist} answers it. */
export async function playlistText(
  playlist: LivePlaylist,
  wanted: WantedEnd | null,
  isGone: () => boolean,
): Promise<string> {
  if (!wanted) return playlist.text()
  checkSoon(playlist, wanted)
  if (!(await waitFor(playlist, isGone, () => playlist.has(wanted.segment, wanted.part)))) {
    throw new Refusal('unavailable', { message: 'Nothing new came in time. Ask again.' })
  }
  return playlist.text()
}

/** What comes late, or never, is not waited for. So those who wait wait for few different things. */
function checkSoon({ newest }: LivePlaylist, { segment, part }: WantedEnd): void {
  if (segment < 0 || segment > (newest?.segment ?? 0) + 2) {
    throw new Refusal('invalid_parameter', {
      attribute: '_HLS_msn',
      message: 'must be the number of a segment that comes soon',
    })
  }
  if (part !== null && (part < 0 || part > MOST_PARTS)) {
    throw new Refusal('invalid_parameter', {
      attribute: '_HLS_part',
      message: 'must be the number of a part of that segment',
    })
  }
}

/** A file of a session that runs here, as {@link Watching.media} answers it, from a byte on. */
export async function mediaOf(
  playlist: LivePlaylist,
  folder: string,
  file: string,
  isGone: () => boolean,
): Promise<HlsMedia & { path: string; offset: number }> {
  const found =
    file === 'init.mp4' ? await whole(join(folder, file)) : await inSegment(playlist, folder, file, isGone)
  if (!found) throw new Refusal('file_not_found')
  const { path, offset, length } = found
  // Opened only when it is read.
  return {
    path,
    offset,
    length,
    get content() {
      return createReadStream(path, { start: offset, end: offset + length - 1 })
    },
  }
}

async function whole(path: string) {
  const size = await stat(path).then(
    (found) => found.size,
    () => null,
  )
  return size === null ? undefined : { path, offset: 0, length: size }
}

async function inSegment(playlist: LivePlaylist, folder: string, file: string, isGone: () => boolean) {
  const [, segment = '', part] = /^(\d{1,9})(?:\.(\d{1,5}))?\.m4s$/.exec(file) ?? []
  if (segment === '') return undefined
  const number = Number(segment)
  const partNumber = part === undefined ? null : Number(part)
  // The part that comes next is hinted at, and asked for before it is there.
  if (partNumber !== null && isNext(playlist, number, partNumber))
    await waitFor(playlist, isGone, () => playlist.has(number, partNumber))
  const bytes = playlist.bytesOf(number, partNumber)
  return bytes && { path: join(folder, `${number}.m4s`), offset: bytes.offset, length: bytes.length }
}

function isNext({ newest }: LivePlaylist, segment: number, part: number): boolean {
  if (!newest) return segment === 0 && part === 0
  return (
    (segment === newest.segment && part === newest.part + 1) || (segment === newest.segment + 1 && part === 0)
  )
}

/** @returns false after {@link LONGEST_WAIT_MS}, or when nobody waits any more */
async function waitFor(
  playlist: LivePlaylist,
  isGone: () => boolean,
  isThere: () => boolean,
): Promise<boolean> {
  const untilMs = performance.now() + LONGEST_WAIT_MS
  while (!isThere()) {
    const leftMs = untilMs - performance.now()
    if (leftMs <= 0 || isGone()) return false
    await playlist.changed(leftMs)
  }
  return true
}
