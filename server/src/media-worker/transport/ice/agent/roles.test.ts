import { expect, test } from 'vitest'
import { type Place, ScriptedIcePeer } from '../../../../testing/transport/scripted-ice-peer.ts'
import { connect, SimulatedNetwork } from '../../../../testing/transport/simulated-network.ts'
import { readStun, writeBindingError } from '../stun.ts'

const THERE: Place = '198.51.100.1 1000'
const LARGEST = 2n ** 64n - 1n

test('of two that are controlled, the one with the larger tie-breaker becomes controlling', () => {
  const peer = new ScriptedIcePeer()
  peer.checkFrom(THERE, { role: 'controlled', tieBreaker: LARGEST })
  expect(peer.sentTo(THERE, 'error').map(({ datagram }) => readStun(datagram)?.errorCode)).toEqual([487])
  expect([peer.agent.role, peer.sentTo(THERE, 'success').length]).toEqual(['controlled', 0])
  peer.checkFrom(THERE, { role: 'controlled', tieBreaker: 0n })
  expect([peer.agent.role, peer.sentTo(THERE, 'success').length]).toEqual(['controlling', 1])
})

test('of two that are controlling, the one with the smaller tie-breaker becomes controlled', () => {
  const peer = new ScriptedIcePeer({ role: 'controlling' })
  peer.checkFrom(THERE, { role: 'controlling', tieBreaker: 0n })
  expect([peer.agent.role, peer.sentTo(THERE, 'error').length]).toEqual(['controlling', 1])
  peer.checkFrom(THERE, { role: 'controlling', tieBreaker: LARGEST })
  expect([peer.agent.role, peer.sentTo(THERE, 'success').length]).toEqual(['controlled', 1])
})

test('who is told of a conflict changes role and tie-breaker, and checks again', () => {
  const peer = new ScriptedIcePeer({ candidates: ['1 1 udp 9 198.51.100.1 1000 typ host'] })
  peer.run(10)
  const check = () => readStun(peer.sentTo(THERE, 'request').at(-1)!.datagram)!
  const first = check()
  expect(first.role).toBe('controlled')
  peer.receive(writeBindingError(first.transactionId, 487, peer.remote.password), THERE)
  peer.run(60)
  expect(check()).toMatchObject({ role: 'controlling', useCandidate: false })
  expect(check().tieBreaker).not.toBe(first.tieBreaker)
  expect(check().transactionId).not.toEqual(first.transactionId)
})

test('a check of the other side is checked back at once, even if one of ours was lost', () => {
  const peer = new ScriptedIcePeer({ candidates: ['1 1 udp 9 198.51.100.1 1000 typ host'] })
  peer.run(4000)
  const count = peer.sentTo(THERE, 'request').length
  peer.checkFrom(THERE)
  expect(peer.sentTo(THERE, 'request')).toHaveLength(count + 1)
})

test('a controlling agent waits for a better pair, though not for long', () => {
  const network = new SimulatedNetwork()
  const startedAtMs = network.nowMs
  // The better path loses what is sent at first.
  network.passes = (from) => !from.includes(':') || network.nowMs - startedAtMs > 300
  const peers = connect(
    network.host(['2001:db8::1', '192.0.2.1']),
    network.host(['2001:db8::2', '192.0.2.2']),
  )
  const nominations: string[] = []
  network.onDatagram = (datagram, _, to) => {
    if (readStun(datagram)?.useCandidate) nominations.push(to.address)
  }
  network.run(5000)
  expect(nominations).toEqual(['2001:db8::2'])
  expect(peers[1].destination).toBe('2001:db8::1')
})
