import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  connect,
  expectTalk,
  restart,
  type SimulatedHost,
  SimulatedNetwork,
  type SimulatedPeer,
} from '../../../../testing/transport/simulated-network.ts'

/** The browser restarts ICE over sockets of another network. */
function restartFrom(browser: SimulatedHost, server: SimulatedPeer): SimulatedPeer {
  const answer = server.agent.restart(browser.foretell(), browser.network.nowMs)
  return browser.open(answer, 'controlling')
}

test('data goes on where it goes until a pair of the new session is nominated', () => {
  const network = new SimulatedNetwork()
  const [browser, server] = connect(network.host(['192.0.2.1']), network.host(['198.51.100.1']))
  network.run(3000)
  const before = server.agent.local.usernameFragment
  const moved = restartFrom(network.host(['192.0.2.2']), server)
  expect(server.agent.local.usernameFragment).not.toBe(before)
  expect([server.agent.state, server.destination]).toEqual(['connected', '192.0.2.1'])
  server.sendData('still there')
  expect(network.runUntil(() => browser.received.includes('still there'), 100)).toBe(true)
  expect(network.runUntil(() => server.destination === '192.0.2.2', 3000)).toBe(true)
  expectTalk(network, [moved, server])
  expect(server.states).toEqual(['connected'])
  expect(server.selections).toHaveLength(2)
  network.run(10_000)
  // What belongs to the old session is forgotten.
  expect(server.host.agents.size.fragments).toBe(1)
  expect(server.openPaths).toBe(1)
})

test('a restart that never arrives changes nothing', () => {
  const network = new SimulatedNetwork()
  const peers = connect(network.host(['192.0.2.1']), network.host(['198.51.100.1']))
  network.run(3000)
  const nowhere = network.host(['203.0.113.1'])
  for (let i = 0; i < 5; i++) peers[1].agent.restart(nowhere.foretell(), network.nowMs)
  network.run(120_000)
  expectTalk(network, peers)
  expect(peers[1].states).toEqual(['connected'])
  expect(peers[1].host.agents.size.fragments).toBe(2)
})

test('checks that name halves of two sessions are not answered', () => {
  const network = new SimulatedNetwork()
  const [browser, server] = connect(network.host(['192.0.2.1']), network.host(['198.51.100.1']))
  network.run(3000)
  const moved = network.host(['192.0.2.2'])
  const { local } = server.agent
  const offer = moved.foretell()
  server.agent.restart(offer, network.nowMs)
  // It does not know the answer yet, and tries its new socket and fragment with what was agreed before.
  const early = moved.open(local, 'controlling')
  expect(early.agent.local.usernameFragment).toBe(offer.usernameFragment)
  network.run(5000)
  expect(early.agent.state).toBe('checking')
  expect(server.destination).toBe('192.0.2.1')
  expect(browser.isConnected).toBe(true)
})

test('what the old session nominates late does not undo a restart', () => {
  const network = new SimulatedNetwork()
  const [browser, server] = connect(network.host(['192.0.2.1', '192.0.2.3']), network.host(['198.51.100.1']))
  network.run(3000)
  restartFrom(network.host(['192.0.2.2']), server)
  expect(network.runUntil(() => server.destination === '192.0.2.2', 3000)).toBe(true)
  // The old side chooses another of its addresses.
  network.passes = (from, to) => from !== '192.0.2.1' && to !== '192.0.2.1'
  network.run(20_000)
  expect(browser.agent.state).not.toBe('connected')
  expect(server.selections).toHaveLength(2)
})

test('the old session is left alone once there is a path of the new one', () => {
  const network = new SimulatedNetwork()
  const unreachable = Array.from({ length: 30 }, (_, i) => `203.0.113.${i + 1}`)
  const asked = new Set<string>()
  network.passes = (from, to) => {
    if (unreachable.includes(to)) asked.add(to)
    return !unreachable.includes(from) && !unreachable.includes(to)
  }
  const browser = network.host(['192.0.2.1', ...unreachable])
  const [, server] = connect(browser, network.host(['198.51.100.1']))
  expect(network.runUntil(() => server.isConnected, 3000)).toBe(true)
  restartFrom(network.host(['192.0.2.2']), server)
  expect(network.runUntil(() => server.destination === '192.0.2.2', 3000)).toBe(true)
  browser.agents.close()
  const before = asked.size
  expect(before).toBeLessThan(unreachable.length)
  network.run(3000)
  expect(asked.size).toBe(before)
})

test('a failed agent can be restarted', () => {
  const network = new SimulatedNetwork()
  const peers = connect(network.host(['192.0.2.1']), network.host(['198.51.100.1']))
  network.passes = () => false
  network.run(40_000)
  expect(peers.map(({ agent }) => agent.state)).toEqual(['failed', 'failed'])
  network.passes = () => true
  restart(peers)
  expect(peers[1].agent.state).toBe('checking')
  network.run(3000)
  expectTalk(network, peers)
})

test('restarts at any time, on a bad network, end with a path', () => {
  const times = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 6 })
  const loss = fc.double({ min: 0, max: 0.25, noNaN: true })
  fc.assert(
    fc.property(fc.nat(), loss, times, (seed, loss, pauses) => {
      const network = Object.assign(new SimulatedNetwork(seed), { loss })
      const browser = network.host(['192.0.2.1', '192.0.2.2'])
      const peers = connect(browser, network.host(['198.51.100.1', '198.51.100.2']))
      for (const pause of pauses) {
        network.run(pause)
        restart(peers)
      }
      network.run(39_000)
      expectTalk(network, peers)
      const { agents, fragments } = peers[1].host.agents.size
      expect([agents, fragments]).toEqual([1, 1])
    }),
    { numRuns: 50 },
  )
})
