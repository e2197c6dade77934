import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Refusal } from '../../errors/refusal.ts'
import { HlsRequests } from './hls-requests.ts'

/** Requests that wait until the test lets them go. */
let app: FastifyInstance
let release: () => void
let waiting = 0

beforeEach(async () => {
  const { promise: next, resolve } = Promise.withResolvers<void>()
  release = resolve
  waiting = 0
  const requests = new HlsRequests()
  app = Fastify({ trustProxy: true })
  app.setErrorHandler((error, _request, reply) => {
    const { kind } = { kind: error instanceof Refusal ? error.code : 'fault' }
    return reply.code(kind === 'rate_limit_exceeded' ? 429 : kind === 'unavailable' ? 503 : 500).send()
  })
  app.get<{ Params: { id: string } }>('/:id', (request, reply) =>
    requests.during({ projectId: 'p', sessionId: request.params.id }, request, reply, async () => {
      waiting++
      await next
      return 'a playlist'
    }),
  )
  await app.ready()
})
afterEach(() => app.close())

const ask = (session: string, address: string) =>
  app.inject({ url: `/${session}`, headers: { 'x-forwarded-for': address } })

it('of one address wait up to a limit; others are told to come again, and those who wait are answered', async () => {
  const patient = Array.from({ length: 1000 }, (_, index) =>
    ask(`session-${index % 3}`, `2001:db8::${index}`),
  )
  await expect.poll(() => waiting).toBe(1000)
  const refused = await ask('session-1', '2001:db8::1:1')
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1'])
  const other = ask('session-1', '2001:db8:1::1')
  await expect.poll(() => waiting).toBe(1001)
  release()
  const answers = await Promise.all([...patient, other])
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1001)
  expect((await ask('session-1', '2001:db8::1')).statusCode).toBe(200)
})

it('of one session wait up to a limit, and those of another are not in their way', async () => {
  for (let index = 0; index < 5000; index++) void ask('full', `10.0.${index >> 8}.${index & 255}`)
  await expect.poll(() => waiting, { timeout: 10_000 }).toBe(5000)
  expect((await ask('full', '192.0.2.1')).statusCode).toBe(503)
  const other = ask('another', '192.0.2.1')
  await expect.poll(() => waiting).toBe(5001)
  release()
  expect((await other).statusCode).toBe(200)
})
