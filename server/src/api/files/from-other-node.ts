import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import type { PathOfNode, RecordingsElsewhere } from '../../rooms/recordings-elsewhere.ts'
import type { RecordingRecord } from '../../storage/records.ts'

/** What the answer of the other node says about its content. */
const ABOUT_CONTENT = [
  'cache-control',
  'content-type',
  'content-length',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
]

/** The whole file, a range, nothing new, and a range that the file does not have. */
const PASSED_ON = new Set([200, 206, 304, 416])

/**
 * Answers with the file or the poster of a recording that another node has on its disk.
 * @returns null if no other node has it
 * @throws Refusal `unavailable`
 */
export async function fromOtherNode(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  recording: RecordingRecord,
  { fetch }: Pick<RecordingsElsewhere, 'fetch'>,
  path: PathOfNode,
): Promise<FastifyReply | null> {
  const { range, 'if-none-match': known } = headers
  // `useStrongEtags` has made the tag weak, and the other node does it again.
  const ifRange = String(headers['if-range'] ?? '').replace(/^W\//, '')
  const answer = await fetch(recording, {
    path,
    method: method === 'HEAD' ? 'HEAD' : 'GET',
    headers: {
      ...(range !== undefined && { range }),
      ...(ifRange !== '' && { 'if-range': ifRange }),
      ...(known !== undefined && { 'if-none-match': known }),
    },
  })
  if (!answer) return null
  const { statusCode = 0 } = answer
  if (!PASSED_ON.has(statusCode)) {
    answer.destroy()
    if (statusCode === 404) return null
    const message = `The server that has this recording answers with ${statusCode}. Try again in a few seconds.`
    throw new Refusal('unavailable', message)
  }
  reply.code(statusCode)
  for (const name of ABOUT_CONTENT) {
    const value = answer.headers[name]
    if (value !== undefined) reply.header(name, value)
  }
  if (statusCode === 200 || statusCode === 206) return reply.send(answer)
  answer.destroy()
  return reply.removeHeader('content-length').send()
}
