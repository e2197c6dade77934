import { afterEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../server-for-tests.ts'

let server: TestServer
afterEach(() => server.stop())

describe('the limit of requests', () => {
  it('says how many are left, and refuses with the time to wait when none is', async () => {
    server = await startTestServer({ PARLEY_REQUESTS_PER_MINUTE: '3' })
    const left: unknown[] = []
    for (let i = 0; i < 3; i++) {
      const answer = await server.call('rooms')
      expect(answer.status).toBe(200)
      expect(answer.headers['ratelimit-limit']).toBe('3')
      left.push(answer.headers['ratelimit-remaining'])
    }
    expect(left).toEqual(['2', '1', '0'])
    const refused = await server.call('rooms')
    expect(refused.status).toBe(429)
    expect(refused.json.errors[0]).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect(refused.headers['ratelimit-remaining']).toBe('0')
  })

  it('is off where the operator says 0', async () => {
    server = await startTestServer({ PARLEY_REQUESTS_PER_MINUTE: '0' })
    const answer = await server.call('rooms')
    expect(answer.status).toBe(200)
    expect(answer.headers['ratelimit-limit']).toBeUndefined()
  })
})

describe('the limit of failed sign-ins', () => {
  it('refuses the address, whatever it sends, before its credentials are looked at', async () => {
    server = await startTestServer({ PARLEY_FAILED_SIGN_INS_PER_MINUTE: '2' })
    const wrong = { credentials: { user: server.projectId, password: 'wrong' } }
    expect((await server.call('rooms', wrong)).status).toBe(401)
    expect((await server.call('rooms')).status).toBe(200)
    expect((await server.call('rooms', wrong)).status).toBe(401)
    for (const options of [wrong, {}]) {
      const refused = await server.call('rooms', options)
      expect(refused.status).toBe(429)
      expect(refused.headers['retry-after']).toBeDefined()
    }
  })
})
