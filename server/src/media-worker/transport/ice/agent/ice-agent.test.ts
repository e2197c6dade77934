import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { connect, expectTalk, SimulatedNetwork } from '../../../../testing/transport/simulated-network.ts'

const LATEST_MS = 3000

describe('two agents find each other', () => {
  test('on the path of the highest priority', () => {
    const network = new SimulatedNetwork()
    const peers = connect(
      network.host(['2001:db8::1', '192.0.2.1']),
      network.host(['2001:db8::2', '192.0.2.2']),
    )
    expect(network.runUntil(() => peers.every(({ isConnected }) => isConnected), LATEST_MS)).toBe(true)
    network.run(LATEST_MS)
    expect(peers.map(({ destination }) => destination)).toEqual(['2001:db8::2', '2001:db8::1'])
    expectTalk(network, peers)
    expect(peers.map(({ states }) => states)).toEqual([['connected'], ['connected']])
  })

  test('where one is behind a NAT of any kind', () => {
    for (const isSymmetric of [false, true]) {
      const network = new SimulatedNetwork()
      const inside = network.host(['10.0.0.1'], network.nat('198.51.100.1', isSymmetric))
      const peers = connect(inside, network.host(['192.0.2.2', '192.0.2.3']))
      network.run(LATEST_MS)
      expect(peers[1].destination).toBe('198.51.100.1')
      expectTalk(network, peers)
    }
  })

  test('where one tells nothing of its addresses but names', () => {
    const network = new SimulatedNetwork()
    const [browser, server] = [network.host(['192.0.2.1']), network.host(['192.0.2.2'])]
    const hidden = [
      '1 1 udp 2113937151 d1d5f1a0-0c5b-4d9e-8f3a-1a2b3c4d5e6f.local 50000 typ host',
      'nonsense',
    ]
    const offer = { ...browser.foretell(), candidates: hidden }
    const answering = server.open(offer, 'controlled')
    const peers = [browser.open(answering.agent.local, 'controlling'), answering]
    network.run(LATEST_MS)
    expectTalk(network, peers)
  })

  test('where both believe that they are controlling, or controlled', () => {
    for (const role of ['controlling', 'controlled'] as const) {
      for (let seed = 0; seed < 10; seed++) {
        const network = new SimulatedNetwork(seed)
        const peers = connect(network.host(['192.0.2.1']), network.host(['192.0.2.2']), [role, role])
        network.run(LATEST_MS)
        expect(peers.map(({ agent }) => agent.role).sort()).toEqual(['controlled', 'controlling'])
        expectTalk(network, peers)
      }
    }
  })

  test('over whatever path there is, however bad', () => {
    const world = fc.record({
      seed: fc.nat(2 ** 31),
      loss: fc.double({ min: 0, max: 0.3, noNaN: true }),
      repeated: fc.double({ min: 0, max: 0.3, noNaN: true }),
      delayMs: fc.integer({ min: 0, max: 400 }),
      jitterMs: fc.integer({ min: 0, max: 300 }),
      nat: fc.constantFrom('none', 'cone', 'symmetric'),
      roles: fc.constantFrom(
        ['controlling', 'controlled'] as const,
        ['controlled', 'controlling'] as const,
        ['controlling', 'controlling'] as const,
        ['controlled', 'controlled'] as const,
      ),
      open: fc.nat(5),
    })
    fc.assert(
      fc.property(world, ({ seed, nat, roles, open, ...quality }) => {
        const network = Object.assign(new SimulatedNetwork(seed), quality)
        const router = nat === 'none' ? undefined : network.nat('198.51.100.1', nat === 'symmetric')
        const ours = ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2', '2001:db8::3', '192.0.2.3']
        const theirs = router ? ['10.0.0.1', '10.0.0.2'] : ['203.0.113.1', '2001:db8::9', '203.0.113.2']
        // Only one address of ours is reached, from one address of theirs.
        const [from, to] = router ? ['198.51.100.1', '192.0.2.2'] : partners(ours[open]!)
        network.passes = (a, b) => (a === from && b === to) || (a === to && b === from)
        const peers = connect(network.host(theirs, router), network.host(ours), roles)
        const isUp = () => peers.every(({ isConnected }) => isConnected)
        expect(network.runUntil(isUp, 39_000)).toBe(true)
        expect(peers[1].destination).toBe(from)
      }),
      { numRuns: 60 },
    )
  })
})

/** An address of the other side's that has the same family, and this one. */
const partners = (address: string) => [address.includes(':') ? '2001:db8::9' : '203.0.113.2', address]
