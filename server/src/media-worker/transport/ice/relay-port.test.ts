import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { releaseSharedPorts, sharedPort } from '../shared-port.ts'
import { RelayPort } from './relay-port.ts'

const rtc = { portRange: { begin: 42_200, end: 42_209 } }

afterEach(() => {
  RelayPort.release()
  releaseSharedPorts()
})

test('all relays of a process share one port, which is not that of the native side', async () => {
  const port = await RelayPort.of(rtc)
  expect(port?.port).toBeGreaterThan(await sharedPort(rtc))
  expect(port?.port).toBeLessThanOrEqual(rtc.portRange.end)
  expect(port?.has(4)).toBe(true)
  expect(await RelayPort.of(rtc)).toBe(port)
})

test('a port that is taken in one family only is passed over', async () => {
  const taken = createSocket('udp4')
  const next = (await sharedPort(rtc)) + 1
  taken.bind({ port: next, exclusive: true })
  await once(taken, 'listening')
  try {
    const port = await RelayPort.of(rtc)
    expect(port?.port).toBeGreaterThan(next)
    expect(port?.has(4)).toBe(true)
  } finally {
    taken.close()
  }
})

test('there is none where the range has a single port', async () => {
  const single = { portRange: { begin: 42_210, end: 42_210 } }
  expect(await RelayPort.of(single)).toBeNull()
})
