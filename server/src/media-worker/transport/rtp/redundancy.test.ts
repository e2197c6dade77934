import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newestBlockStart } from './redundancy.ts'

test('behind two earlier payloads lies the newest', () => {
  const headers = Buffer.from('ef1e0003' + 'ef0f0002' + '6f', 'hex')
  const packet = Buffer.concat([Buffer.from('HH'), headers, Buffer.from('abc' + 'de' + 'newest')])
  const start = newestBlockStart(packet, 2, packet.length)
  expect(packet.toString('latin1', start)).toBe('newest')
})

test('without earlier payloads it follows its one byte of header', () => {
  expect(newestBlockStart(Buffer.from('6fnewest', 'latin1').fill(0x6f, 0, 1), 0, 8)).toBe(1)
})

test('what is cut short has none, whatever it says', () => {
  expect(newestBlockStart(Buffer.from('ef1e00ff6f00', 'hex'), 0, 6)).toBe(-1)
  expect(newestBlockStart(Buffer.from('ef1e00', 'hex'), 0, 3)).toBe(-1)
  expect(newestBlockStart(Buffer.alloc(0), 0, 0)).toBe(-1)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const at = newestBlockStart(Buffer.from(bytes), 0, bytes.length)
      expect(at).toBeLessThanOrEqual(bytes.length)
    }),
  )
})
