import { expect, test } from 'vitest'
import { PacketHistory } from './packet-history.ts'

test('keeps the last packets and forgets the oldest', () => {
  const history = new PacketHistory()
  expect(history.find(0)).toBeNull()
  for (let i = 0; i < 1500; i++) {
    const slot = history.open()
    slot.length = 1
    slot.bytes[slot.start] = i & 0xff
  }
  expect(history.end).toBe(1500)
  for (const sequence of [476, 1000, 1499]) {
    const slot = history.find(sequence)!
    expect(slot.sequence).toBe(sequence)
    expect(slot.bytes[slot.start]).toBe(sequence & 0xff)
  }
  for (const sequence of [-1, 0, 475, 1500]) expect(history.find(sequence)).toBeNull()
})
