import compress from '@fastify/compress'
import type { FastifyInstance, RouteOptions } from 'fastify'

/** Smaller answers fit into a few packets as they are, in bytes. */
const MIN_BYTES = 4 * 1024
/**
 * Answers up to this size, in bytes, are compressed at once, which takes under a millisecond. Larger ones go through the
 * thread pool, so that they do not hold up other requests.
 */
const AT_ONCE_MAX_BYTES = 16 * 1024

/** Preferred first. Clients choose by `Accept-Encoding`; without it nothing is compressed. */
const ENCODINGS: ('zstd' | 'br' | 'gzip')[] = ['zstd', 'br', 'gzip']

const COMPRESSION = {
  encodings: ENCODINGS,
  threshold: MIN_BYTES,
  syncThreshold: AT_ONCE_MAX_BYTES,
} satisfies RouteOptions['compress'] & object

/**
 * How the answer of an operation is compressed. Only what is read is:
 *
 * - The answer of a POST or PUT repeats text of its request, beside a new token or the key of a stream. Who could choose
 *   that text and see the length of the answer could guess the secret (BREACH).
 * - The same holds for a GET whose answer has secrets: links to other pages repeat the query. The link of a preview does
 *   not count. It shows what is public to the room, and ends with the session.
 */
export const compressionOf = (method: string, hasSecrets: boolean): NonNullable<RouteOptions['compress']> =>
  method === 'GET' && !hasSecrets ? COMPRESSION : false

/**
 * Lets the routes that ask for it by `compress` compress their answers (RFC 9110, section 8.4). Media and built pages do
 * not: ranges and strong ETags belong to one encoding. Bodies of requests are never decompressed: a small one could
 * become a huge one.
 */
export async function useCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, { ...COMPRESSION, globalCompression: false, globalDecompression: false })
}
