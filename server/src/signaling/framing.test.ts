import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RelayClient } from '../testing/relay/relay-client.ts'
import { RunningRelay } from '../testing/relay/running-relay.ts'

let relay: RunningRelay

beforeAll(async () => {
  relay = await RunningRelay.open()
}, 30_000)
afterAll(() => relay.close())

describe('a frame', () => {
  test.each([
    ['that is not JSON', '{"jsonrpc":', null, -32700],
    ['that holds an array', '[]', null, -32600],
    ['that holds a number', '5', null, -32600],
    ['whose method is no string', '{"id":"a","method":5}', 'a', -32600],
    ['whose id is an object', '{"id":{},"method":"x"}', null, -32600],
    [
      'that is nested too deep',
      `{"id":"c","method":"x","params":{"a":${'['.repeat(99)}${']'.repeat(99)}}}`,
      'c',
      -32600,
    ],
    ['whose params are an array', '{"id":"b","method":"x","params":[]}', 'b', -32600],
  ])('%s is answered by an error', async (_, frame, id, code) => {
    const client = await relay.open()
    client.sendRaw(frame)
    await expect
      .poll(() => client.frames)
      .toEqual([{ jsonrpc: '2.0', id, error: { code, message: expect.any(String) } }])
  })

  test('that is no request is taken in silence', async () => {
    const client = await relay.connect()
    const before = client.frames.length
    client.sendRaw('{"jsonrpc":"2.0","id":"nobody asked","result":{}}')
    client.sendRaw('{"jsonrpc":"2.0","method":"video.members.get"}')
    const { error } = await client.request('no.such.method')
    expect(error).toEqual({ code: -32601, message: 'Method not found: no.such.method' })
    expect(client.frames.slice(before)).toHaveLength(1)
  })

  test('with a number for an id is answered with that number', async () => {
    const client = await relay.connect()
    expect(await client.request('video.members.get', {}, 7)).toMatchObject({ id: 7 })
  })

  test.each([
    ['in binary', Buffer.from('{}'), 1003],
    ['larger than any offer', `"${'x'.repeat(300 * 1024)}"`, 1009],
  ])('%s closes the socket', async (_, data, code) => {
    const client = await relay.open()
    client.sendRaw(data)
    expect(await client.closed()).toBe(code)
  })

  test('nested as deep as it can be does no harm', async () => {
    const client = await relay.connect()
    const deep = `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`
    client.sendRaw(`{"id":"deep","method":"video.members.get","params":${deep}}`)
    await expect.poll(() => client.frames.some(({ id }) => id === 'deep')).toBe(true)
  })
})

describe('a socket', () => {
  test('that sends nothing but garbage is closed', async () => {
    const client = await relay.open()
    for (let i = 0; i < 20; i++) client.sendRaw('garbage')
    expect(await client.closed()).toBe(1008)
    expect(client.frames).toHaveLength(10)
  })

  test('that floods is slowed down, then closed, and others do not notice', async () => {
    const [client, other] = await Promise.all([relay.connect(), relay.connect()])
    for (let i = 0; i < 300; i++) {
      client.sendRaw(JSON.stringify({ jsonrpc: '2.0', id: i, method: 'video.members.get', params: {} }))
    }
    await expect
      .poll(() => client.frames.filter(({ result }) => codeOf(result) === '429').length)
      .toBeGreaterThan(100)
    expect(codeOf((await other.request('video.members.get')).result)).toBe('404')
    for (let i = 0; i < 5000; i++) client.sendRaw('{"id":1,"result":{}}')
    expect(await client.closed()).toBe(1008)
  })

  test('is served at / and /relay only', async () => {
    await expect(RelayClient.open(relay.url('/elsewhere'))).rejects.toThrow(/404/)
    const client = await relay.open('/relay?some=query')
    expect((await client.request('signalwire.connect')).error?.code).toBe(-32602)
  })

  test('that is not connected may do nothing', async () => {
    const client = await relay.open()
    const { error } = await client.request('video.members.get')
    expect(error).toMatchObject({ code: -32002, message: expect.stringContaining('signalwire.connect') })
  })
})

function codeOf(result: unknown): unknown {
  return (result as { code?: string } | undefined)?.code
}
