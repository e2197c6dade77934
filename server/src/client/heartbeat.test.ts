import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../rooms/sessions/simulation/manual-clock.ts'
import { RunningRelay } from './testing/running-relay.ts'

/** Frames that are on their way over the loopback arrive. */
const overTheWire = () => new Promise<void>((resolve) => setTimeout(resolve, 30))

const clock = new ManualClock(overTheWire, Date.now())
let relay: RunningRelay

beforeAll(async () => {
  relay = await RunningRelay.open(clock)
}, 30_000)
afterAll(() => relay.close())

describe('a socket', () => {
  test('on which nobody connects is closed after ten seconds', async () => {
    const client = await relay.open()
    await overTheWire()
    await clock.advance(9999)
    expect(client.closeCode).toBeNull()
    await clock.advance(1)
    expect(await client.closed()).toBe(1008)
  })

  test('is pinged every ten seconds and lives as long as it answers', async () => {
    const client = await relay.connect()
    for (let i = 0; i < 6; i++) await clock.advance(10_000)
    const pings = client.frames.filter(({ method }) => method === 'signalwire.ping')
    expect(pings).toHaveLength(6)
    expect(client.closeCode).toBeNull()
    client.drop()
  })

  test('that leaves three pings unanswered is dropped', async () => {
    const client = await relay.connect()
    await overTheWire()
    client.answersPings = false
    for (let i = 0; i < 3; i++) await clock.advance(10_000)
    expect(client.closeCode).toBeNull()
    await clock.advance(10_000)
    expect(await client.closed()).toBe(1006)
  })

  test('that answers one of three goes on', async () => {
    const client = await relay.connect()
    for (let i = 0; i < 9; i++) {
      client.answersPings = i % 3 === 0
      await clock.advance(10_000)
    }
    expect(client.closeCode).toBeNull()
    client.drop()
  })
})
