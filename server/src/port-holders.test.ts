import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { parseSocketTable, tcpListeners, udpHolders } from './port-holders.ts'

it('reads the tables of Linux for both versions of IP', () => {
  const table = [
    '   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops',
    ' 1234: 0100007F:9C40 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000        0 98765 2 0000000000000000 0',
    ' 1235: 00000000000000000000000000000000:9C41 00000000000000000000000000000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 98766 2 0000000000000000 0',
    '',
  ].join('\n')
  expect(parseSocketTable(table)).toEqual([
    { port: 40000, uid: 1000, inode: '98765' },
    { port: 40001, uid: 0, inode: '98766' },
  ])
  expect(parseSocketTable('')).toEqual([])
})

it('names the process that holds a port, and only for ports of the ranges', async () => {
  for (const family of ['udp4', 'udp6'] as const) {
    const socket = createSocket(family).bind(0)
    await once(socket, 'listening')
    const { port } = socket.address()
    expect(await udpHolders([{ first: port, last: port }])).toMatch(
      new RegExp(`^\\S.* \\(process ${process.pid}\\)$`),
    )
    expect(await udpHolders([])).toBe('')
    socket.close()
    await once(socket, 'close')
    expect(await udpHolders([{ first: port, last: port }])).toBe('')
  }
})

it('names the process that listens on a TCP port, and not its clients', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect(port, '127.0.0.1')
  await once(client, 'connect')
  const us = new RegExp(`^\\S.* \\(process ${process.pid}\\)$`)
  expect(await tcpListeners(port)).toMatch(us)
  expect(await tcpListeners(client.localPort ?? 0)).toBe('')
  client.destroy()
  server.close()
  await once(server, 'close')
  expect(await tcpListeners(port)).toBe('')
})
