import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Mp4Box, playableEnd, readBoxes } from './mp4-boxes.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'boxes-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function boxesOf(data: Buffer): Promise<Mp4Box[]> {
  const file = join(folder, 'file')
  await writeFile(file, data)
  const handle = await open(file)
  try {
    return await readBoxes(handle, data.length)
  } finally {
    await handle.close()
  }
}

function box(type: string, bodyBytes: number): Buffer {
  const data = Buffer.alloc(8 + bodyBytes)
  data.writeUInt32BE(data.length)
  data.write(type, 4, 'latin1')
  return data
}

test('reads boxes of every kind of length', async () => {
  const large = Buffer.alloc(16 + 5)
  large.writeUInt32BE(1)
  large.write('mdat', 4, 'latin1')
  large.writeBigUInt64BE(BigInt(large.length), 8)
  const toTheEnd = box('free', 10)
  toTheEnd.writeUInt32BE(0)
  expect(await boxesOf(Buffer.concat([box('ftyp', 4), large, toTheEnd]))).toEqual([
    { type: 'ftyp', offset: 0, size: 12 },
    { type: 'mdat', offset: 12, size: 21 },
    { type: 'free', offset: 33, size: 18 },
  ])
})

test('stops at the first box that is not whole, wherever the file is cut', async () => {
  const whole = Buffer.concat([box('ftyp', 20), box('moov', 100), box('moof', 30), box('mdat', 200)])
  const ends = [28, 136, 174, 382]
  for (let length = 0; length <= whole.length; length++) {
    const boxes = await boxesOf(whole.subarray(0, length))
    expect(boxes).toHaveLength(ends.filter((end) => end <= length).length)
  }
})

test('no bytes at all make it fail or read for ever', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const boxes = await boxesOf(Buffer.from(bytes))
      let at = 0
      for (const { offset, size } of boxes) {
        expect(offset).toBe(at)
        at += size
      }
      expect(at).toBeLessThanOrEqual(bytes.length)
    }),
    { numRuns: 200 },
  )
})

test('what can be played ends with the last fragment that has its data', () => {
  const row = (...types: string[]) => types.map((type, index) => ({ type, offset: index * 100, size: 100 }))
  expect(playableEnd(row('ftyp', 'free'))).toBeNull()
  expect(playableEnd(row('ftyp', 'moov'))).toBeNull()
  expect(playableEnd(row('ftyp', 'moov', 'moof'))).toBeNull()
  expect(playableEnd(row('ftyp', 'moov', 'moof', 'mdat'))).toEqual({ end: 400, fragmented: true })
  expect(playableEnd(row('ftyp', 'moov', 'moof', 'mdat', 'moof'))).toEqual({ end: 400, fragmented: true })
  // Killed between the two steps of the end: the index is appended, but the fragments are not hidden yet.
  expect(playableEnd(row('ftyp', 'moov', 'moof', 'mdat', 'moov'))).toEqual({ end: 400, fragmented: true })
  expect(playableEnd(row('ftyp', 'free', 'mdat', 'moov'))).toEqual({ end: 400, fragmented: false })
})
