import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Stores take no smaller part than 5 MiB, but for the last. */
const SMALLEST_PART = 8 * 1024 * 1024
/** Stores take no more parts. */
const MOST_PARTS = 10_000
/** Hashing so much takes the thread a fraction of a millisecond. */
const HASHED_AT_ONCE = 256 * 1024

/** Size of the parts in which a file of that size is sent, in bytes. */
export const partSize = (size: number): number => Math.max(SMALLEST_PART, Math.ceil(size / MOST_PARTS))

/**
 * Reads a file in parts, one after the other, into the same memory.
 * @param send takes one part, counted from 1; it is lent until the promise resolves
 * @returns bytes, and SHA-256 of the file in hexadecimal
 * @throws what reading or `send` throws, or Error when the file changed meanwhile
 */
export async function putParts(
  file: string,
  send: (part: Buffer, number: number, isOnly: boolean) => Promise<void>,
): Promise<{ size: number; sha256: string }> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const buffer = Buffer.alloc(Math.min(size, partSize(size)))
    const hash = createHash('sha256')
    let sent = 0
    let number = 0
    do {
      const part = buffer.subarray(0, Math.min(buffer.length, size - sent))
      for (let filled = 0; filled < part.length; ) {
        const { bytesRead } = await handle.read(part, filled, part.length - filled, sent + filled)
        if (bytesRead === 0) throw new Error(`${file} became shorter while it was sent`)
        filled += bytesRead
      }
      for (let at = 0; at < part.length; at += HASHED_AT_ONCE) {
        hash.update(part.subarray(at, at + HASHED_AT_ONCE))
        await nextTurn()
      }
      await send(part, ++number, part.length === size)
      sent += part.length
    } while (sent < size)
    return { size, sha256: hash.digest('hex') }
  } finally {
    await handle.close()
  }
}
