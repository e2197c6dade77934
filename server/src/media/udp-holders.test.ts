import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { parseUdpTable, udpHolders } from './udp-holders.ts'

it('reads the tables of Linux for both versions of IP', () => {
  const table = [
    '   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops',
    ' 1234: 0100007F:9C40 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000        0 98765 2 0000000000000000 0',
    ' 1235: 00000000000000000000000000000000:9C41 00000000000000000000000000000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 98766 2 0000000000000000 0',
    '',
  ].join('\n')
  expect(parseUdpTable(table)).toEqual([
    { port: 40000, uid: 1000, inode: '98765' },
    { port: 40001, uid: 0, inode: '98766' },
  ])
  expect(parseUdpTable('')).toEqual([])
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
