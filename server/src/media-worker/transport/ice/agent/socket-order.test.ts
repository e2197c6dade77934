import { expect, test } from 'vitest'
import { inOrder } from './socket-order.ts'

const socket = (...addresses: string[]) => ({
  family: addresses[0]!.includes(':') ? (6 as const) : (4 as const),
  port: 1,
  addresses,
})

test('IPv6 and IPv4 take turns, and addresses of one site come last', () => {
  const [four, otherFour, six, local] = [
    socket('192.0.2.1'),
    socket('198.51.100.1', '203.0.113.9'),
    socket('2001:db8::1'),
    socket('fd00::1'),
  ]
  expect(inOrder([four, otherFour, local, six])).toEqual([six, four, otherFour, local])
  expect(inOrder([four])).toEqual([four])
  expect(inOrder([local])).toEqual([local])
  expect(inOrder([])).toEqual([])
})
