import { fastify } from 'fastify'
import { expect, it } from 'vitest'
import { Tallies } from '../../metrics/tallies.ts'
import { useCountedRequests } from './counted-requests.ts'

it('counts each answer once, by method, template and status, and other paths as one', async () => {
  const tallies = new Tallies()
  const app = fastify()
  useCountedRequests(app, tallies)
  await app.register(
    async (family) => {
      family.get('/', async () => 'all')
      family.get('/:id', async (request, reply) =>
        request.url.endsWith('gone') ? reply.callNotFound() : reply.code(202).send('one'),
      )
    },
    { prefix: '/rooms' },
  )
  for (const path of ['/rooms', '/rooms/', '/rooms/1', '/rooms/2', '/rooms/gone', '/other', '/else'])
    await app.inject({ method: 'GET', url: path })
  await app.inject({ method: 'HEAD', url: '/rooms/1' })
  const counted = tallies.requests.samples().map(({ labels, value }) => [...Object.values(labels), value])
  expect(counted).toEqual([
    ['GET', '/rooms', '200', 2],
    ['GET', '/rooms/:id', '202', 2],
    ['any', 'none', '404', 3],
    ['HEAD', '/rooms/:id', '202', 1],
  ])
  const timed = tallies.requestSeconds.samples().map(({ labels, count }) => [labels.route, count])
  expect(timed).toEqual([
    ['/rooms', 2],
    ['/rooms/:id', 3],
    ['none', 3],
  ])
  await app.close()
})
