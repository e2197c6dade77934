import { expect, test } from 'vitest'
import { type Place, ScriptedIcePeer } from '../../../../testing/transport/scripted-ice-peer.ts'

const THERE: Place = '198.51.100.1 1000'
const ELSEWHERE: Place = '198.51.100.2 1000'

function connected(): ScriptedIcePeer {
  const peer = new ScriptedIcePeer()
  peer.answering.add(THERE)
  peer.checkFrom(THERE, { useCandidate: true })
  peer.run(100)
  return peer
}

test('consent is asked for every 4 to 6 seconds, at times that cannot be foretold', () => {
  const peer = connected()
  peer.run(600_000)
  const times = peer.sentTo(THERE, 'request').map(({ atMs }) => atMs)
  const pauses = times.slice(1).map((atMs, i) => atMs - times[i]!)
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(4000)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(6020)
  expect(new Set(pauses.map((pause) => Math.floor(pause / 100))).size).toBeGreaterThan(10)
  expect(peer.states).toEqual(['connected'])
})

test('a path that dies is noticed within 9 seconds, and given up 30 seconds after its last answer', () => {
  const peer = connected()
  peer.run(60_000)
  const times = peer.sentTo(THERE, 'request').map(({ atMs }) => atMs)
  const lastAnswerAtMs = times.at(-1)!
  peer.answering.delete(THERE)
  peer.run(lastAnswerAtMs + 9000 - peer.nowMs)
  expect(peer.states).toEqual(['connected', 'disconnected'])
  expect(peer.selected.at(-1)).toBe(THERE)
  peer.run(lastAnswerAtMs + 29_900 - peer.nowMs)
  expect(peer.agent.state).toBe('disconnected')
  peer.run(200)
  expect(peer.states).toEqual(['connected', 'disconnected', 'failed'])
  expect(peer.selected.at(-1)).toBeNull()
  expect(peer.open.size).toBe(0)
  // Nothing more is sent, whatever comes.
  const count = peer.sent.length
  peer.checkFrom(THERE)
  peer.run(60_000)
  expect(peer.sent).toHaveLength(count)
  expect(peer.agents.size).toEqual({ agents: 1, fragments: 0, transactions: 0 })
})

test('one that comes back is used again', () => {
  const peer = connected()
  for (let i = 0; i < 5; i++) {
    peer.answering.delete(THERE)
    peer.run(20_000)
    expect(peer.agent.state).toBe('disconnected')
    peer.answering.add(THERE)
    peer.run(1100)
    expect(peer.agent.state).toBe('connected')
  }
  expect(peer.selected).toEqual([THERE])
})

test('another path that works takes the place of a dead one', () => {
  const peer = connected()
  peer.answering.add(ELSEWHERE)
  peer.checkFrom(ELSEWHERE)
  peer.run(5000)
  peer.answering.delete(THERE)
  peer.run(10_000)
  expect(peer.selected).toEqual([THERE, ELSEWHERE])
  expect(peer.agent.state).toBe('connected')
})

test('single losses mean nothing', () => {
  const peer = connected()
  for (let i = 0; i < 200; i++) {
    peer.answering.delete(THERE)
    peer.run(1500)
    peer.answering.add(THERE)
    peer.run(4000)
  }
  expect(peer.states).toEqual(['connected'])
})

test('an agent whose worker stood still asks before it gives up', () => {
  const peer = connected()
  peer.nowMs += 120_000
  peer.run(3000)
  expect(peer.states).toEqual(['connected'])
  expect(peer.selected).toEqual([THERE])
})

test('an agent that finds no path fails after 39.5 seconds', () => {
  const peer = new ScriptedIcePeer({ candidates: ['1 1 udp 1 203.0.113.1 1000 typ host'] })
  peer.run(39_400)
  expect(peer.agent.state).toBe('checking')
  peer.run(200)
  expect(peer.states).toEqual(['failed'])
  const waits = peer
    .sentTo('203.0.113.1 1000', 'request')
    .map(({ atMs }) => Math.round((atMs - 1010) / 100) / 10)
  expect(waits).toEqual([0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5])
})
