import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Place, ScriptedIcePeer } from '../../../../testing/transport/scripted-ice-peer.ts'
import { writeBindingError, writeBindingSuccess } from '../stun.ts'

const THERE: Place = '198.51.100.1 1000'
const VICTIM: Place = '203.0.113.1 1000'

test('nothing but what is signed by the peer is answered', () => {
  const peer = new ScriptedIcePeer()
  const { usernameFragment } = peer.agent.local
  peer.checkFrom(THERE, { password: 'guessed' })
  for (const username of [
    '',
    ':',
    usernameFragment,
    `${usernameFragment}:`,
    `${usernameFragment}:other`,
    ':peer',
  ])
    peer.checkFrom(THERE, { username })
  const check = peer.check()
  for (let at = 0; at < check.length; at++) {
    const changed = Buffer.from(check)
    changed[at]! ^= 1
    peer.receive(changed, THERE)
  }
  // The fingerprint is the last 8 bytes.
  const cut = Buffer.from(check.subarray(0, -8))
  cut.writeUInt16BE(cut.length - 20, 2)
  peer.receive(cut, THERE)
  peer.receive(check, '198.51.100.1 0')
  peer.receive(check, '224.0.0.1 1000')
  peer.run(1000)
  expect(peer.sent).toHaveLength(0)
  peer.receive(check, THERE)
  expect(peer.sentTo(THERE, 'success')).toHaveLength(1)
})

/** The transaction ids of the checks that were sent to a place. */
const idsOf = (peer: ScriptedIcePeer, place: Place) =>
  peer.sentTo(place, 'request').map(({ datagram }) => datagram.subarray(8, 20))

const answer = (transactionId: Buffer, password: string) =>
  writeBindingSuccess(transactionId, '192.0.2.1', 4000, password)

test('an answer counts only if it is signed, from where it was asked, and to a question of ours', () => {
  const peer = new ScriptedIcePeer({ candidates: ['1 1 udp 9 198.51.100.1 1000 typ host'] })
  peer.run(100)
  const id = idsOf(peer, THERE)[0]!
  const password = peer.remote.password
  peer.receive(answer(id, 'guessed'), THERE)
  peer.receive(answer(id, peer.agent.local.password), THERE)
  peer.receive(answer(randomBytes(12), password), THERE)
  peer.receive(answer(id, password), VICTIM)
  peer.receive(answer(id, password), '198.51.100.1 1001')
  peer.receive(writeBindingError(id, 487, 'guessed'), THERE)
  expect([peer.states, peer.agent.role]).toEqual([[], 'controlled'])
  peer.receive(answer(id, password), THERE)
  expect(peer.states).toEqual(['connected'])
})

test('a browser that hides its addresses may sign with a password of its own, until it once uses the right one', () => {
  const peer = new ScriptedIcePeer()
  peer.checkFrom(THERE, { useCandidate: true })
  peer.run(100)
  peer.receive(answer(randomBytes(12), 'its own'), THERE)
  peer.receive(answer(idsOf(peer, THERE)[0]!, 'its own'), VICTIM)
  expect(peer.states).toEqual([])
  peer.receive(answer(idsOf(peer, THERE)[0]!, 'its own'), THERE)
  expect(peer.states).toEqual(['connected'])
  peer.run(7000)
  peer.receive(answer(idsOf(peer, THERE).at(-1)!, peer.remote.password), THERE)
  for (let i = 0; i < 40; i++) {
    peer.run(1000)
    peer.receive(answer(idsOf(peer, THERE).at(-1)!, 'its own'), THERE)
  }
  expect(peer.states).toEqual(['connected', 'disconnected', 'failed'])
})

test('a peer that forges the source of its checks has little sent there', () => {
  const peer = new ScriptedIcePeer()
  let received = 0
  for (let i = 0; i < 50; i++) {
    const check = peer.check({ useCandidate: true })
    received += check.length
    peer.receive(check, VICTIM)
    peer.run(i % 7 === 0 ? 5000 : 30)
  }
  const sent = peer.sent.reduce((sum, { datagram }) => sum + datagram.length, 0)
  expect(sent).toBeLessThan(3 * received)
  expect(peer.selected).toEqual([])
})

test('a single check does not have an address asked for long', () => {
  const peer = new ScriptedIcePeer()
  peer.checkFrom(VICTIM)
  peer.run(35_000)
  expect(peer.sentTo(VICTIM, 'request')).toHaveLength(2)
})

test('an offer of thousands of addresses has few of them asked, and never many at once', () => {
  const candidates = Array.from(
    { length: 5000 },
    (_, i) => `${i} 1 udp ${i + 1} 203.0.${Math.floor(i / 250)}.${(i % 250) + 1} 1000 typ host`,
  )
  const peer = new ScriptedIcePeer({ candidates })
  peer.run(60_000)
  const places = new Set(peer.sent.map(({ path }) => path.remote.address))
  expect(places.size).toBeLessThanOrEqual(64)
  const firsts = [...places].map((place) => peer.sent.find(({ path }) => path.remote.address === place)!.atMs)
  const pauses = firsts.slice(1).map((atMs, i) => atMs - firsts[i]!)
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(50)
  expect(peer.agents.size.transactions).toBe(0)
})

test('a peer that checks from thousands of addresses has few of them remembered', () => {
  const peer = new ScriptedIcePeer()
  peer.answering.add(THERE)
  peer.checkFrom(THERE, { useCandidate: true })
  peer.run(100)
  for (let port = 1; port < 3000; port++) {
    if (port % 3 === 0) peer.answering.add(`203.0.113.1 ${port}`)
    peer.checkFrom(`203.0.113.1 ${port}`)
    if (port % 10 === 0) peer.run(20)
  }
  expect(peer.open.size).toBeLessThanOrEqual(33)
  expect(peer.agents.size.transactions).toBeLessThanOrEqual(40)
  expect(peer.open.has(THERE)).toBe(true)
  peer.run(20_000)
  expect(peer.states).toEqual(['connected'])
  peer.agent.close()
  expect(peer.open.size).toBe(0)
  expect(peer.agents.size).toEqual({ agents: 0, fragments: 0, transactions: 0 })
})

test('a path stays with the agent whose peer answers there', () => {
  const victim = new ScriptedIcePeer()
  const attacker = new ScriptedIcePeer({ agents: victim.agents })
  victim.answering.add(THERE)
  victim.checkFrom(THERE)
  victim.run(100)
  attacker.checkFrom(THERE, { useCandidate: true })
  victim.run(1000)
  expect([victim.open.has(THERE), attacker.open.has(THERE)]).toEqual([true, false])
  // It came first, but cannot answer there.
  attacker.checkFrom(VICTIM)
  expect(attacker.open.has(VICTIM)).toBe(true)
  victim.answering.add(VICTIM)
  victim.checkFrom(VICTIM)
  victim.run(100)
  expect([victim.open.has(VICTIM), attacker.open.has(VICTIM)]).toEqual([true, false])
  attacker.agent.close()
  expect([...victim.open]).toEqual([THERE, VICTIM])
})

test('an agent may be closed from within each of its events', () => {
  for (const event of ['onState', 'onSelected', 'onPathOpened', 'onPathClosed'] as const) {
    const peer = new ScriptedIcePeer()
    const { agents } = peer
    const remote = { ...peer.remote, candidates: ['1 1 udp 9 198.51.100.1 1000 typ host'] }
    let count = 0
    const nothing = { onState() {}, onSelected() {}, onPathOpened() {}, onPathClosed() {} }
    const events = { ...nothing, [event]: () => [count++, agent.close()] }
    const agent = agents.open({ sockets: [peer.socket], remote, events }, peer.nowMs)
    peer.answering.add(THERE)
    peer.run(100)
    const { usernameFragment, password } = agent.local
    peer.checkFrom(THERE, { username: `${usernameFragment}:peer`, password, useCandidate: true })
    peer.answering.delete(THERE)
    peer.run(40_000)
    expect([event, count, agent.state]).toEqual([event, 1, 'closed'])
    expect(agents.size.agents).toBe(1)
  }
})
