import { afterEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

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
  const withPassword = (password: string) => ({ credentials: { user: server.projectId, password } })

  it('refuses wrong credentials of an address, and never good ones', async () => {
    server = await startTestServer({ PARLEY_FAILED_SIGN_INS_PER_MINUTE: '2' })
    const wrong = withPassword('wrong')
    expect((await server.call('rooms', wrong)).status).toBe(401)
    expect((await server.call('rooms')).status).toBe(200)
    expect((await server.call('rooms', wrong)).status).toBe(401)
    const refused = await server.call('rooms', wrong)
    expect(refused.status).toBe(429)
    expect(refused.json.errors[0].code).toBe('rate_limit_exceeded')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect((await server.call('rooms')).status).toBe(200)
    // A change in the database empties the cache of credentials.
    expect((await server.call('rooms', { method: 'POST', body: { name: 'a' } })).status).toBe(200)
    expect((await server.call('rooms')).status).toBe(200)
  })

  it('lets good credentials in that come for the first time, while it slows guesses down', async () => {
    server = await startTestServer({ PARLEY_FAILED_SIGN_INS_PER_MINUTE: '2' })
    for (let i = 0; i < 4; i++) await server.call('rooms', withPassword(`guess ${i}`))
    expect((await server.call('rooms')).status).toBe(200)
  })

  it('counts guesses that come at once before they are looked up', async () => {
    server = await startTestServer({ PARLEY_FAILED_SIGN_INS_PER_MINUTE: '5' })
    const guesses = Array.from({ length: 100 }, (_, i) => server.call('rooms', withPassword(`guess ${i}`)))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    // The limit, and the look-ups that are allowed beyond it: a burst of twenty, and ten per second.
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(60)
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
  })

  it('judges the tokens of end users, however many wrong ones came before', async () => {
    server = await startTestServer({ PARLEY_FAILED_SIGN_INS_PER_MINUTE: '2' })
    const made = await server.call('/api/fabric/subscribers/tokens', {
      method: 'POST',
      body: { reference: 'ada' },
    })
    const bearer = (token: string) =>
      server.call('/api/fabric/addresses', {
        credentials: null,
        headers: { authorization: `Bearer ${token}` },
      })
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) statuses.push((await bearer('nonsense')).status)
    expect(statuses).toEqual([401, 401, 429])
    expect((await bearer(made.json.token)).status).toBe(200)
  })
})
