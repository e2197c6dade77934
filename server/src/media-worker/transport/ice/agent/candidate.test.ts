import fc from 'fast-check'
import { expect, test } from 'vitest'
import { peerReflexivePriority, readCandidate, socketPriority, writeCandidates } from './candidate.ts'
import { byPriority, type CandidatePair } from './candidate-pair.ts'
import type { LocalSocket } from './ice-types.ts'

const sockets: LocalSocket[] = [
  { family: 6, port: 4000, addresses: ['2001:db8::1', '2001:db8::2'] },
  { family: 4, port: 4001, addresses: ['192.0.2.1'] },
]

test('our candidates have priorities and foundations of their own, the first sockets the highest', () => {
  const lines = writeCandidates(sockets)
  // 2^24 * 126 + 2^8 * 65535 + 255 (RFC 8445, section 5.1.2.1)
  expect(lines[0]).toBe('1 1 UDP 2130706431 2001:db8::1 4000 typ host')
  const read = lines.map((line) => readCandidate(line)!)
  expect(read.map(({ address, port, family }) => [address, port, family])).toEqual([
    ['2001:db8::1', 4000, 6],
    ['2001:db8::2', 4000, 6],
    ['192.0.2.1', 4001, 4],
  ])
  const priorities = read.map(({ priority }) => priority)
  expect(priorities).toEqual([...new Set(priorities)].sort((a, b) => b - a))
  expect(new Set(lines.map((line) => line.split(' ')[0])).size).toBe(3)
  expect(sockets.map((socket) => socketPriority(sockets, socket))).toEqual([priorities[0], priorities[2]])
  expect(peerReflexivePriority(sockets, sockets[0]!)).toBe(2 ** 24 * 110 + 2 ** 8 * 65_535 + 255)
})

test('candidates of browsers are read, with the usual form of their addresses', () => {
  const chromium = '1221948728 1 udp 2122194687 192.0.2.2 59522 typ host generation 0 network-id 1'
  expect(readCandidate(chromium)).toEqual({
    address: '192.0.2.2',
    port: 59_522,
    priority: 2_122_194_687,
    family: 4,
  })
  const relayed = '0 1 UDP 92217087 2001:DB8:0:0::9 3478 typ relay raddr 10.0.0.1 rport 5'
  expect(readCandidate(relayed)).toMatchObject({ address: '2001:db8::9', family: 6 })
  expect(readCandidate('0 1 UDP 5 ::ffff:192.0.2.2 3478 typ host')).toMatchObject({
    address: '192.0.2.2',
    family: 4,
  })
})

test.each([
  '',
  '1 1 udp 1 d1d5f1a0.local 50000 typ host',
  '1 2 udp 1 192.0.2.2 50000 typ host',
  '1 1 tcp 1 192.0.2.2 9 typ host tcptype active',
  '1 1 udp 1 192.0.2.2 0 typ host',
  '1 1 udp 1 192.0.2.2 65536 typ host',
  '1 1 udp 0 192.0.2.2 50000 typ host',
  '1 1 udp 4294967296 192.0.2.2 50000 typ host',
  '1 1 udp 1e3 192.0.2.2 50000 typ host',
  '1 1 udp 1 0.0.0.0 50000 typ host',
  '1 1 udp 1 255.255.255.255 50000 typ host',
  '1 1 udp 1 224.0.0.251 5353 typ host',
  '1 1 udp 1 ff02::1 50000 typ host',
  '1 1 udp 1 :: 50000 typ host',
  '1 1 udp 1 fe80::1 50000 typ host',
  '1 1 udp 1 fe80::1%eth0 50000 typ host',
  `1 1 udp 1 192.0.2.2 50000 typ host ${'x'.repeat(300)}`,
])('%s is no candidate that can be checked', (line) => {
  expect(readCandidate(line)).toBeNull()
})

test('pairs are ordered as by the formula of the RFC', () => {
  const priority = fc.integer({ min: 1, max: 2 ** 31 - 1 })
  const pair = fc.record({ localPriority: priority, remotePriority: priority })
  const role = fc.constantFrom('controlling' as const, 'controlled' as const)
  const byFormula = (
    { localPriority, remotePriority }: CandidatePair<LocalSocket>,
    isControlling: boolean,
  ) => {
    const [g, d] = isControlling ? [localPriority, remotePriority] : [remotePriority, localPriority]
    return 2n ** 32n * BigInt(Math.min(g, d)) + 2n * BigInt(Math.max(g, d)) + (g > d ? 1n : 0n)
  }
  fc.assert(
    fc.property(pair, pair, fc.boolean(), role, (one, other, isMirrored, role) => {
      const a = one as CandidatePair<LocalSocket>
      const mirror = { localPriority: one.remotePriority, remotePriority: one.localPriority }
      const b = (isMirrored ? mirror : other) as CandidatePair<LocalSocket>
      const difference = byFormula(b, role === 'controlling') - byFormula(a, role === 'controlling')
      expect(Math.sign(byPriority(a, b, role))).toBe(difference > 0n ? 1 : difference < 0n ? -1 : 0)
    }),
  )
})
