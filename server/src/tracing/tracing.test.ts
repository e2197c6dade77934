import { afterEach, beforeEach, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { freePort } from '../testing/free-port.ts'
import { type OtlpReceiver, startOtlpReceiver } from '../testing/otlp-receiver.ts'
import { RunningRelay } from '../testing/relay/running-relay.ts'
import { startTestServer } from '../testing/server-for-tests.ts'
import { tracing } from './spans.ts'
import { startTracing } from './start-tracing.ts'

let receiver: OtlpReceiver
beforeEach(async () => {
  receiver = await startOtlpReceiver()
})
afterEach(() => receiver.close())

const named = (name: string) => receiver.spans.filter((span) => span.name === name)

it('is off without a collector', async () => {
  const stop = await startTracing(readConfig({}), '1')
  expect(tracing()).toBeNull()
  await stop()
})

it('takes the trace of a caller on, and tells of routes and not of paths', { timeout: 30_000 }, async () => {
  const server = await startTestServer({ OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.endpoint}/` })
  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  const headers = { traceparent: `00-${traceId}-${spanId}-01` }
  try {
    await server.call('/api/video/rooms/secret-name', { headers })
    await server.call('/api/video/rooms', { headers: { traceparent: 'nonsense' } })
  } finally {
    await server.stop()
  }
  expect(receiver.services).toEqual(new Set(['parley']))
  const [one] = named('GET /api/video/rooms/:id')
  expect(one).toMatchObject({ traceId, parentSpanId: spanId })
  expect(one?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 404 } })
  const [list] = named('GET /api/video/rooms')
  expect(list?.traceId).not.toBe(traceId)
  expect(list?.parentSpanId ?? '').toBe('')
  expect(JSON.stringify(receiver.spans)).not.toContain('secret-name')
  expect(tracing()).toBeNull()
})

it('has calls of media workers below the join that makes them', { timeout: 30_000 }, async () => {
  const stop = await startTracing(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint }), '1')
  const relay = await RunningRelay.open()
  try {
    await relay.enter({ room_name: 'lobby' })
    await relay.connect({ room_name: 'lobby' }).then((client) => client.verto('verto.invite', {}))
  } finally {
    await relay.close()
    await stop()
  }
  const [join] = named('join')
  const calls = receiver.spans.filter(({ name }) => name.startsWith('worker '))
  const ofJoin = calls.filter(({ traceId }) => traceId === join?.traceId).map(({ name }) => name)
  expect(ofJoin).toEqual(expect.arrayContaining(['worker createRoom', 'worker connectLeg']))
  expect(JSON.stringify(receiver.spans)).not.toMatch(/eyJ[\w-]{20}/)
})

it('holds nobody up while the collector is away, nor the end', async () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${await freePort()}`
  const stop = await startTracing(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }), '1')
  for (let i = 0; i < 5000; i++) tracing()?.begin('work', 'internal', {}).end()
  await stop()
  expect(tracing()).toBeNull()
})
