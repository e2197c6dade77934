import { expect, test } from 'vitest'
import { type Place, ScriptedIcePeer } from '../../../../testing/transport/scripted-ice-peer.ts'

const HIGH: Place = '198.51.100.1 1000'
const LOW: Place = '198.51.100.2 1000'
const candidates = [
  '1 1 udp 2000000000 198.51.100.1 1000 typ host',
  '2 1 udp 1000000000 198.51.100.2 1000 typ host',
]

test('a path is used before any is nominated, and the nominated one from then on', () => {
  const peer = new ScriptedIcePeer({ candidates })
  peer.answering.add(LOW)
  peer.checkFrom(LOW)
  peer.run(300)
  expect(peer.selected).toEqual([LOW])
  peer.answering.add(HIGH)
  peer.run(1000)
  expect(peer.selected).toEqual([LOW, HIGH])
  peer.checkFrom(LOW, { useCandidate: true })
  expect(peer.selected).toEqual([LOW, HIGH, LOW])
  // Others that work are no better any more.
  peer.checkFrom(HIGH)
  peer.run(1000)
  expect(peer.selected).toHaveLength(3)
})

test('of pairs that are nominated all at once, the one of the highest priority is used', () => {
  for (const order of [
    [HIGH, LOW],
    [LOW, HIGH],
  ]) {
    const peer = new ScriptedIcePeer({ candidates })
    for (const place of order) {
      peer.answering.add(place)
      peer.checkFrom(place, { useCandidate: true })
      peer.run(200)
    }
    for (const place of order) peer.checkFrom(place, { useCandidate: true })
    peer.run(500)
    expect(peer.selected.at(-1)).toBe(HIGH)
  }
})

test('a pair that is nominated later is followed, whatever its priority', () => {
  const peer = new ScriptedIcePeer({ candidates })
  peer.answering.add(HIGH).add(LOW)
  peer.checkFrom(HIGH, { useCandidate: true })
  peer.run(10_000)
  expect(peer.selected.at(-1)).toBe(HIGH)
  peer.answering.delete(HIGH)
  peer.checkFrom(LOW, { useCandidate: true })
  peer.run(100)
  expect(peer.selected.at(-1)).toBe(LOW)
  expect(peer.states).toEqual(['connected'])
})

test('nothing is sent to a nominated address that does not answer', () => {
  const peer = new ScriptedIcePeer({ candidates })
  peer.answering.add(HIGH)
  peer.checkFrom(HIGH, { useCandidate: true })
  peer.run(5000)
  for (let i = 0; i < 20; i++) {
    peer.checkFrom(LOW, { useCandidate: true })
    peer.run(200)
  }
  expect(peer.selected).toEqual([HIGH])
})

test('an address that answered long ago has to show once more that it receives before it is used', () => {
  const peer = new ScriptedIcePeer({ candidates })
  peer.answering.add(HIGH).add(LOW)
  peer.checkFrom(HIGH, { useCandidate: true })
  peer.checkFrom(LOW)
  peer.run(3000)
  peer.answering.delete(LOW)
  peer.run(6000)
  peer.checkFrom(LOW, { useCandidate: true })
  peer.run(1000)
  expect(peer.selected).toEqual([HIGH])
  peer.answering.add(LOW)
  peer.checkFrom(LOW, { useCandidate: true })
  peer.run(1000)
  expect(peer.selected).toEqual([HIGH, LOW])
})

test('pairs of a lower priority are left alone once one is nominated', () => {
  const many = Array.from({ length: 15 }, (_, i) => `${i} 1 udp ${1000 - i} 203.0.113.${i + 1} 1000 typ host`)
  const peer = new ScriptedIcePeer({ candidates: [...candidates, ...many] })
  peer.answering.add(HIGH)
  peer.checkFrom(HIGH, { useCandidate: true })
  peer.run(30_000)
  expect(peer.sentTo('203.0.113.9 1000', 'request')).toHaveLength(0)
})
