import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RunningRelay } from '../testing/relay/running-relay.ts'
import { ManualClock } from '../testing/simulation/manual-clock.ts'

/** Waits until the frames in transit have arrived, and the answers to them. */
async function overTheWire(): Promise<void> {
  const open = relay.clients.filter(({ closeCode }) => closeCode === null) ?? []
  await Promise.all(open.map((client) => client.roundTrip()))
  await Promise.all(open.map((client) => client.roundTrip()))
}

const clock = new ManualClock(overTheWire, Date.now())
let relay: RunningRelay

beforeAll(async () => {
  relay = await RunningRelay.open({ clock })
}, 30_000)
afterAll(() => relay.close())

test('a page that has been there all along is told after a while that its call is lost', async () => {
  const state = { secret: 'of another life', callId: 'lost' }
  const client = await relay.connectWith(await relay.token(), {
    authorization_state: Buffer.from(JSON.stringify(state)).toString('base64url'),
  })
  await clock.advance(11_999)
  expect(client.events.map(({ type }) => type)).not.toContain('webrtc.message')
  await clock.advance(1)
  expect(await client.vertoEvent('verto.bye')).toMatchObject({ params: { callID: 'lost' } })
  client.drop()
})

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

  test('is not pinged while a call ends, and is pinged soon after', async () => {
    const client = await relay.enter()
    const pings = () => client.frames.filter(({ method }) => method === 'signalwire.ping').length
    await clock.advance(9500)
    await client.verto('verto.bye', { dialogParams: { callID: client.call.callID } })
    await clock.advance(1999)
    expect(pings()).toBe(0)
    await clock.advance(1)
    expect(pings()).toBe(1)
    await clock.advance(10_000)
    expect(pings()).toBe(2)
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

test('clients that are gone for good are forgotten', async () => {
  await expect.poll(() => [relay.surface.connectionCount, relay.surface.clientCount]).toEqual([0, 0])
  const clients = await Promise.all([relay.connect(), relay.enter()])
  expect(relay.surface.clientCount).toBe(2)
  for (const client of clients) client.drop()
  await expect.poll(() => relay.surface.connectionCount).toBe(0)
  // The client in a call may still come back.
  expect(relay.surface.clientCount).toBe(1)
  await clock.advance(3000)
  expect(relay.surface.clientCount).toBe(0)
})
