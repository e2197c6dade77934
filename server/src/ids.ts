import { randomFillSync } from 'node:crypto'

/** 12 bits of the layout below count ids within one millisecond. */
const COUNTER_LIMIT = 0x1000

const RANDOM_BYTES = 8
const random = Buffer.alloc(RANDOM_BYTES)
/** Random bytes are fetched in bulk, and each is used once. A system call costs the same for one byte as for all. */
const pool = Buffer.alloc(512 * RANDOM_BYTES)
let used = pool.length
let lastMs = 0
let timeText = ''
let counter = 0
/** All values of the counter, in hexadecimal. */
const COUNTER_TEXTS = Array.from({ length: COUNTER_LIMIT }, (_, count) => count.toString(16).padStart(3, '0'))

/**
 * A new UUID of version 7 (RFC 9562, section 5.7): 48 bits of time, 12 bits of a counter that starts at a random value
 * each millisecond (section 6.2, method 1), 62 random bits. Ids of one process sort in the order of their creation, so
 * lists ordered by (time, id) keep the order of rows of the same millisecond.
 */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  pool.copy(random, 0, used, used + RANDOM_BYTES)
  used += RANDOM_BYTES
  const now = Date.now()
  if (now > lastMs) {
    startMillisecond(now)
    counter = random.readUInt16BE(0) % (COUNTER_LIMIT / 2)
  } else if (++counter === COUNTER_LIMIT) {
    // The counter overflowed, because one millisecond had more than 2,048 ids, or the clock went back. The next
    // millisecond is used early.
    startMillisecond(lastMs + 1)
    counter = 0
  }
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80
  const tail = random.toString('hex')
  return `${timeText}-7${COUNTER_TEXTS[counter]}-${tail.slice(0, 4)}-${tail.slice(4)}`
}

function startMillisecond(ms: number): void {
  lastMs = ms
  const digits = ms.toString(16).padStart(12, '0')
  timeText = `${digits.slice(0, 8)}-${digits.slice(8)}`
}

/** Whether this text has the form of a UUID of any version, in upper or lower case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}
