import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import type { LivePlaylist } from '../../rooms/hls/live-playlist.ts'
import { MEDIA_PATH } from '../../rooms/media-links.ts'
import type { Services } from '../../services.ts'
import { useCrossOriginMedia } from '../conventions/cross-origin.ts'
import { isInItsSpace } from '../conventions/spaces.ts'

interface HlsRequest {
  Params: { projectId: string; sessionId: string; signature: string; file: string }
  Querystring: { _HLS_msn?: unknown; _HLS_part?: unknown }
}

/** How long a request waits for what it asked for: three target durations (RFC 8216bis, section 6.2.5.2). */
const LONGEST_WAIT_MS = 12_000
/** A playlist that was asked for by what it must have never changes for that request. Six target durations. */
const KEEP_ANSWERED = 'public, max-age=24'
/** Asked for without that, it is new twice a second. */
const KEEP_NEWEST = 'public, max-age=1'
/** Names are never used again. */
const KEEP_MEDIA = 'public, max-age=3600, immutable'

/** Serves sessions over HLS behind signed links: the playlist, and segments and parts. All of it may be cached by a CDN. */
export async function hlsFileRoutes(
  app: FastifyInstance,
  { broadcasts }: Pick<Services, 'broadcasts'>,
): Promise<void> {
  useCrossOriginMedia(app)

  async function playlistOf(request: FastifyRequest<HlsRequest>): Promise<LivePlaylist> {
    const { projectId, sessionId, signature } = request.params
    const isGood = broadcasts.isGood(projectId, sessionId, signature)
    // A link is a credential of the project, so it works only in the project's space.
    if (!isGood || !(await isInItsSpace(request, projectId))) throw new Refusal('link_invalid')
    const playlist = broadcasts.playlist(sessionId)
    if (!playlist) throw new Refusal('file_not_found')
    return playlist
  }

  const path = `${MEDIA_PATH}/:projectId/hls/:sessionId/:signature`

  app.get<HlsRequest>(`${path}/index.m3u8`, async (request, reply) => {
    const playlist = await playlistOf(request)
    const wanted = wantedOf(request.query, playlist)
    reply.type('application/vnd.apple.mpegurl')
    if (!wanted) return reply.header('cache-control', KEEP_NEWEST).send(playlist.text())
    const isThere = await waitFor(request, playlist, () => playlist.has(wanted.segment, wanted.part))
    if (!isThere) throw new Refusal('unavailable', { message: 'Nothing new came in time. Ask again.' })
    return reply.header('cache-control', KEEP_ANSWERED).send(playlist.text())
  })

  app.get<HlsRequest>(`${path}/:file`, async (request, reply) => {
    const playlist = await playlistOf(request)
    const { sessionId, file } = request.params
    const folder = broadcasts.folder(sessionId)
    reply.header('cache-control', KEEP_MEDIA).type('video/mp4')
    if (file === 'init.mp4') return reply.send(createReadStream(join(folder, file)))
    const [, segment = '', part] = /^(\d{1,9})(?:\.(\d{1,5}))?\.m4s$/.exec(file) ?? []
    if (segment === '') throw new Refusal('file_not_found')
    const number = Number(segment)
    const partNumber = part === undefined ? null : Number(part)
    // The part that comes next is hinted at, and asked for before it is there.
    if (partNumber !== null && isNext(playlist, number, partNumber))
      await waitFor(request, playlist, () => playlist.has(number, partNumber))
    const bytes = playlist.bytesOf(number, partNumber)
    if (!bytes) throw new Refusal('file_not_found')
    return sendBytes(reply, join(folder, `${number}.m4s`), bytes)
  })
}

/** @throws Refusal `invalid_parameter` for what is too far ahead to wait for */
function wantedOf({ _HLS_msn, _HLS_part }: HlsRequest['Querystring'], playlist: LivePlaylist) {
  if (_HLS_msn === undefined && _HLS_part === undefined) return null
  const segment = Number(_HLS_msn)
  const part = _HLS_part === undefined ? null : Number(_HLS_part)
  const isNumber = Number.isSafeInteger(segment) && (part === null || Number.isSafeInteger(part))
  if (!isNumber || segment > (playlist.newest?.segment ?? 0) + 2) {
    throw new Refusal('invalid_parameter', {
      attribute: '_HLS_msn',
      message: 'must be the number of a segment that comes soon',
    })
  }
  return { segment, part }
}

function isNext({ newest }: LivePlaylist, segment: number, part: number): boolean {
  if (!newest) return segment === 0 && part === 0
  return (
    (segment === newest.segment && part === newest.part + 1) || (segment === newest.segment + 1 && part === 0)
  )
}

/** @returns false after {@link LONGEST_WAIT_MS}, or when the client has left */
async function waitFor(
  { raw }: FastifyRequest<HlsRequest>,
  playlist: LivePlaylist,
  isThere: () => boolean,
): Promise<boolean> {
  const untilMs = performance.now() + LONGEST_WAIT_MS
  while (!isThere()) {
    const leftMs = untilMs - performance.now()
    if (leftMs <= 0 || raw.socket.destroyed) return false
    await playlist.changed(leftMs)
  }
  return true
}

function sendBytes(
  reply: FastifyReply,
  file: string,
  { offset, length }: { offset: number; length: number },
) {
  reply.header('content-length', length)
  return reply.send(createReadStream(file, { start: offset, end: offset + length - 1 }))
}
