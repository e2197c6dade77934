import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { NetworkInterfaceInfo } from 'node:os'
import { afterEach, expect, test, vi } from 'vitest'
import { writeBindingSuccess } from '../ice/stun.ts'
import { FamilySockets } from './family-sockets.ts'
import type { MediaSocket } from './media-socket.ts'

const open: { close(): void }[] = []
afterEach(() => {
  for (const each of open.splice(0)) each.close()
})

/** All of 127.0.0.0/8 is of this machine. */
const machine = (...addresses: string[]) => ({
  eth0: addresses.map((address) => ({ address, family: 'IPv4', internal: false }) as NetworkInterfaceInfo),
})
const rtc = { portRange: { begin: 0, end: 0 } }
const stun = writeBindingSuccess(Buffer.alloc(12), '127.0.0.1', 1, 'password')

function listen(announcedIp?: string): { sockets: FamilySockets; heard: MediaSocket[] } {
  const heard: MediaSocket[] = []
  const sockets = FamilySockets.open({ ...rtc, ...(announcedIp && { announcedIp }) }, 4, 0, (_stun, on) =>
    heard.push(on),
  )
  if (typeof sockets === 'string') throw new Error(sockets)
  open.push(sockets)
  return { sockets, heard }
}

const addressesOf = (sockets: readonly MediaSocket[]) => sockets.map(({ addresses }) => addresses)

test('each of several addresses hears what comes to it, and answers from there', async () => {
  const { sockets, heard } = listen('203.0.113.9')
  const reachable = sockets.reachable(machine('127.0.0.2', '127.0.0.3'))
  expect(addressesOf(reachable)).toEqual([['127.0.0.2'], ['127.0.0.3'], ['203.0.113.9']])
  const peer = createSocket('udp4')
  open.push({ close: () => peer.close() })
  peer.bind(0, '127.0.0.1')
  await once(peer, 'listening')
  for (const [i, address] of ['127.0.0.2', '127.0.0.3', '127.0.0.4'].entries()) {
    peer.send(stun, reachable[0]!.port, address)
    await vi.waitFor(() => expect(heard[i]).toBe(reachable[i]), { timeout: 5000, interval: 10 })
  }
  reachable[1]!.sendStun(stun, { address: '127.0.0.1', port: peer.address().port })
  const [, from] = await once(peer, 'message')
  expect(from).toMatchObject({ address: '127.0.0.3', port: reachable[0]!.port })
})

test('an address stays with its socket, whatever other addresses come and go', () => {
  const { sockets } = listen()
  const [ofAll] = sockets.reachable(machine('127.0.0.2'))
  const both = sockets.reachable(machine('127.0.0.2', '127.0.0.3'))
  expect(both[0]).toBe(ofAll)
  expect(addressesOf(both)).toEqual([['127.0.0.2'], ['127.0.0.3']])
  expect(sockets.reachable(machine('127.0.0.3'))).toEqual([both[1]])
  expect(sockets.reachable(machine())).toEqual([])
  expect(sockets.reachable(machine('127.0.0.3', '127.0.0.2'))).toEqual([both[1], ofAll])
})

test('addresses that cannot be bound, and those beyond a limit, share the socket of all', () => {
  const { sockets } = listen()
  expect(addressesOf(sockets.reachable(machine('127.0.0.2', '192.0.2.1')))).toEqual([
    ['127.0.0.2'],
    ['192.0.2.1'],
  ])
  const many = Array.from({ length: 40 }, (_, i) => `127.0.1.${i + 1}`)
  const reachable = sockets.reachable(machine(...many))
  expect(reachable).toHaveLength(16)
  expect(reachable.at(-1)!.addresses).toHaveLength(25)
})

test("the port is no one else's, not even of who would share it", async () => {
  const { sockets } = listen()
  const [{ port } = { port: 0 }] = sockets.reachable(machine('127.0.0.2', '127.0.0.3'))
  for (const address of ['0.0.0.0', '127.0.0.2', '127.0.0.5']) {
    const other = createSocket({ type: 'udp4', reuseAddr: true })
    open.push({ close: () => other.close() })
    other.bind(port, address)
    const [error] = await once(other, 'error')
    expect(error).toMatchObject({ code: 'EADDRINUSE' })
  }
})
