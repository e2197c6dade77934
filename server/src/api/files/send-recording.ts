import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import { RECORDING_OF_NODE_PATH, type RecordingsElsewhere } from '../../rooms/recordings-elsewhere.ts'
import type { StoredMedia } from '../../rooms/stored-recordings/stored-media.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import { byteRange } from './byte-range.ts'
import { fromOtherNode } from './from-other-node.ts'

/** Where the files of recordings are. */
export interface RecordingPlaces {
  /** Absolute path of the recordings folder. */
  folder: string
  /** Null without a store of objects. */
  stored: StoredMedia | null
  /** Null without other nodes. */
  elsewhere: RecordingsElsewhere | null
}

/**
 * Answers with the file of a recording, complete or in a range, from wherever it is kept. The caller has set the headers
 * that say who may keep it for how long. With `download` in the query browsers save it, instead of playing it: the
 * attribute of a link does not tell them so once it leads to another origin.
 * @throws Refusal `file_not_found`; `unavailable` while the file cannot be had from the node that has it
 */
export async function sendRecording(
  request: FastifyRequest,
  reply: FastifyReply,
  recording: RecordingRecord,
  { folder, stored, elsewhere }: RecordingPlaces,
): Promise<FastifyReply> {
  const made = new Date(recording.started_at ?? recording.created_at).toISOString().slice(0, 19)
  const { download } = request.query as { download?: unknown }
  const way = download === undefined ? 'inline' : 'attachment'
  const disposition = `${way}; filename="recording-${made.replaceAll(':', '-')}.mp4"`
  reply.header('content-disposition', disposition)
  if (recording.place !== 'store') {
    if (await isThere(join(folder, recording.file)))
      return reply.sendFile(recording.file, { cacheControl: false })
    const answer =
      elsewhere && (await fromOtherNode(request, reply, recording, elsewhere, RECORDING_OF_NODE_PATH))
    if (answer) return answer
    if (recording.place !== 'sending') throw new Refusal('file_not_found')
    throw new Refusal('unavailable', 'The recording is on its way to the store. Try again in a few seconds.')
  }
  if (!stored) throw new Refusal('file_not_found')
  const address = await stored.address(recording, disposition)
  if (address !== null) return reply.redirect(address, 307)
  return fromStore(request, reply, recording, stored)
}

async function fromStore(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  recording: RecordingRecord,
  stored: StoredMedia,
): Promise<FastifyReply> {
  const { sha256, size_in_bytes, stored_at } = recording
  const size = size_in_bytes ?? 0
  const etag = `"${sha256}"`
  reply.headers({ etag, 'accept-ranges': 'bytes', 'last-modified': new Date(stored_at ?? 0).toUTCString() })
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known?.includes(etag) || known?.includes('*')) return reply.code(304).send()
  // `useStrongEtags` has made the tag of the request weak.
  const isSameFile = headers['if-range'] === undefined || headers['if-range'] === `W/${etag}`
  const range = isSameFile ? byteRange(headers.range, size) : undefined
  if (range === 'unsatisfiable') {
    return reply.code(416).header('content-range', `bytes */${size}`).send()
  }
  const { first, last } = range ?? { first: 0, last: size - 1 }
  reply.type('video/mp4').header('content-length', last - first + 1)
  if (range) reply.code(206).header('content-range', `bytes ${first}-${last}/${size}`)
  // Without a body the length of the answer would be taken for 0.
  if (method === 'HEAD') return reply.send(Readable.from([]))
  return reply.send(await stored.read(recording, { first, last }))
}

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )
