import fc from 'fast-check'

/** Counts the inputs of one kind, and their outcomes. */
export class Tally {
  inputs = 0
  /** The longest time until an answer, or the longest parse of one input, in milliseconds. */
  slowestMs = 0
  readonly outcomes = new Map<string, number>()

  note(outcome: string, tookMs = 0): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
    this.slowestMs = Math.max(this.slowestMs, tookMs)
  }

  /** The outcomes as text, the most frequent first. */
  get text(): string {
    const sorted = [...this.outcomes].sort(([, a], [, b]) => b - a)
    return sorted.map(([outcome, count]) => `${outcome} ${count}`).join(', ')
  }
}

/** How many inputs of a kind are sent, and the seed of the random numbers. */
export interface FuzzPlan {
  inputs: number
  seed: number
  tally: Tally
}

/**
 * Sends inputs of one kind in groups, until the planned number is sent or one fails. fast-check then makes the failing
 * group smaller, and prints it with the seed.
 * @param attempt throws if something is wrong
 */
export async function fuzz<T>(
  { inputs, seed, tally }: FuzzPlan,
  input: fc.Arbitrary<T>,
  groupSize: number,
  attempt: (group: T[]) => Promise<void> | void,
): Promise<void> {
  const size = Math.min(groupSize, inputs)
  const group = fc.array(input, { minLength: size, maxLength: size })
  let toldAtMs = performance.now()
  await fc.assert(
    fc.asyncProperty(group, async (parts) => {
      await attempt(parts)
      tally.inputs += parts.length
      if (performance.now() - toldAtMs < 10_000) return
      toldAtMs = performance.now()
      console.log(`  ${tally.inputs} of ${inputs}: ${tally.text.slice(0, 150)}`)
    }),
    // No shrinking: a server's reaction depends on everything that it received before.
    { numRuns: Math.ceil(inputs / size), seed, endOnFailure: true, ignoreEqualValues: false },
  )
}

/** Byte values that often trigger faults in a parser. They replace other bytes. */
const edgeByte = fc.constantFrom(0, 1, 0x7f, 0x80, 0xbe, 0xc0, 0xff)

/** One edit of some bytes. */
export interface Change {
  at: number
  byte: number
  how: 'replace' | 'insert' | 'cut' | 'repeat'
}

/** An edit at any offset. */
export const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(0xffff),
  byte: fc.oneof(edgeByte, fc.nat(255)),
  how: fc.constantFrom('replace', 'replace', 'replace', 'insert', 'cut', 'repeat'),
})

/** Some of the originals unchanged, most of them with a few edits. */
export function changed(originals: readonly Buffer[], mostBytes = 1400): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom(...originals), fc.array(change, { maxLength: 6 }))
    .map(([original, changes]) => changes.reduce(applied, original).subarray(0, mostBytes))
}

/** The bytes after an edit. */
export function applied(bytes: Buffer, { at, byte, how }: Change): Buffer {
  if (bytes.length === 0) return Buffer.from([byte])
  const place = at % bytes.length
  if (how === 'replace') {
    const copy = Buffer.from(bytes)
    copy[place] = byte
    return copy
  }
  if (how === 'cut') return bytes.subarray(0, place)
  const middle = how === 'insert' ? Buffer.from([byte]) : bytes.subarray(place, place + byte)
  return Buffer.concat([bytes.subarray(0, place), middle, bytes.subarray(place)])
}

/** Random bytes. */
export const anyBytes = (mostBytes: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ maxLength: mostBytes }).map((bytes) => Buffer.from(bytes))
