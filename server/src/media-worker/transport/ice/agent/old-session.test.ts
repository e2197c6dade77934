import { beforeEach, expect, test } from 'vitest'
import { type Place, ScriptedIcePeer } from '../../../../testing/transport/scripted-ice-peer.ts'

const OLD: Place = '198.51.100.1 1000'
const NEW: Place = '198.51.100.2 1000'
const THIRD: Place = '198.51.100.3 1000'

let peer: ScriptedIcePeer
/** What a check of the session before the restart names and is signed with. */
let before: { username: string; password: string }

beforeEach(() => {
  peer = new ScriptedIcePeer()
  for (const place of [OLD, NEW, THIRD]) peer.answering.add(place)
  peer.checkFrom(OLD, { useCandidate: true })
  peer.run(3000)
  const { usernameFragment, password } = peer.agent.local
  before = { username: `${usernameFragment}:peer`, password }
  peer.agent.restart(peer.remote, peer.nowMs)
})

test('a pair of the new session is not used before it is nominated, whatever its priority', () => {
  peer.checkFrom(NEW, { priority: 2 ** 31 - 1 })
  peer.run(3000)
  expect(peer.selected).toEqual([OLD])
  peer.checkFrom(NEW, { useCandidate: true })
  peer.run(100)
  expect(peer.selected).toEqual([OLD, NEW])
})

test('it is used if the old path dies', () => {
  peer.checkFrom(NEW)
  peer.run(3000)
  peer.answering.delete(OLD)
  peer.run(12_000)
  expect(peer.selected).toEqual([OLD, NEW])
  expect(peer.agent.state).toBe('connected')
})

test('the old session may change its path while it is the only one that has one', () => {
  peer.checkFrom(THIRD, { ...before, useCandidate: true })
  peer.run(3000)
  expect(peer.selected).toEqual([OLD, THIRD])
})

test('the old session is answered for some seconds more, but decides nothing', () => {
  peer.checkFrom(NEW, { useCandidate: true })
  peer.run(1000)
  peer.checkFrom(THIRD, { ...before, useCandidate: true })
  peer.checkFrom(OLD, { ...before, useCandidate: true })
  peer.run(1000)
  expect(peer.sentTo(THIRD, 'success')).toHaveLength(1)
  expect(peer.selected).toEqual([OLD, NEW])
  peer.run(4000)
  peer.checkFrom(THIRD, before)
  expect(peer.sentTo(THIRD, 'success')).toHaveLength(1)
  expect([...peer.open]).toEqual([NEW])
})

test('an old path whose consent expires leaves the new session to be waited for', () => {
  peer.answering.delete(OLD)
  peer.run(27_500)
  peer.agent.restart(peer.remote, peer.nowMs)
  peer.run(5000)
  expect(peer.states).toEqual(['connected', 'disconnected', 'checking'])
  expect(peer.selected).toEqual([OLD, null])
  peer.checkFrom(NEW, { useCandidate: true })
  peer.run(100)
  expect(peer.selected).toEqual([OLD, null, NEW])
  expect(peer.agent.state).toBe('connected')
})
