import { expect, test } from 'vitest'
import { sendQueue } from './send-queue.ts'

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:9C40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
  12: 0100007F:D431 0100007F:078F 01 0001F400:00000000 01:00000013 00000000     0        0 2 2 0 20 4 30 10 -1
  13: 0100007F:078F 0100007F:D431 01 00000000:0001F400 00:00000000 00000000     0        0 3 2 0 20 4 30 10 -1
`

test('the queue of a connection is that of its own end', () => {
  expect(sendQueue(TABLE, 0xd431, 0x078f)).toBe(0x1f400)
  expect(sendQueue(TABLE, 0x078f, 0xd431)).toBe(0)
  expect(sendQueue(TABLE, 0x078f, 0xd432)).toBeNull()
  expect(sendQueue('', 1, 2)).toBeNull()
})
