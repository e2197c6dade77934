import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import { sampleApiToken } from '../../testing/sample-records.ts'
import { basic, startTestServer, type TestServer } from '../../testing/server-for-tests.ts'
import { addUser, FROM_PAGE, signIn } from '../../testing/signed-in-user.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

interface Stream {
  answer: IncomingMessage
  /** Resolves with all that came, once it has this text. */
  until(text: string): Promise<string>
  ended: Promise<void>
}

function open(headers: Record<string, string>): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.origin}/api/dashboard/events`, { ca: server.ca, headers, agent: false })
    sent.on('error', reject)
    sent.on('response', (answer) => {
      let came = ''
      const looks = new Set<() => void>()
      answer.on('data', (chunk: Buffer) => {
        came += chunk.toString()
        for (const look of looks) look()
      })
      const until = (text: string) =>
        new Promise<string>((found) => {
          const look = () => came.includes(text) && found(came)
          looks.add(look)
          look()
        })
      resolve({ answer, until, ended: new Promise((end) => answer.once('close', end)) })
    })
    sent.end()
  })
}

const own = () => ({ authorization: basic(server.projectId, server.apiToken) })

it('ends when the user who reads it is signed out', async () => {
  const id = await addUser(server.storage, server.projectId, 'ada', 'viewer')
  const { cookie } = await signIn(server, 'ada')
  const { answer, until, ended } = await open({ ...FROM_PAGE, cookie })
  expect(answer.statusCode).toBe(200)
  await until('event: snapshot')
  await server.storage.userSessions.deleteOfUser(server.projectId, id)
  await ended
}, 15_000)

it('tells of a room that was made over REST', async () => {
  const { answer, until } = await open(own())
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  expect(answer.headers['cache-control']).toContain('no-store')
  await until('event: snapshot')
  await until('event: workers')
  await server.call('rooms', { method: 'POST', body: { name: 'board' } })
  const came = await until('event: changed')
  expect(came).toContain('"topics":["rooms"]')
  const id = /^id: (.*)$/m.exec(came)?.[1] ?? ''
  answer.destroy()
  const again = await open({ ...own(), 'last-event-id': id })
  expect(await again.until('event: changed')).not.toContain('snapshot')
  again.answer.destroy()
})

it('is not for strangers, and tells nothing of the server to a token for video', async () => {
  expect((await open({})).answer.statusCode).toBe(401)
  const secret = 'video-only'
  const hash = hashApiToken(secret)
  await server.storage.apiTokens.insert(
    sampleApiToken({ project_id: server.projectId, hash, scopes: ['video'] }),
  )
  const { answer, until } = await open({ authorization: basic(server.projectId, secret) })
  await server.call('rooms', { method: 'POST', body: { name: 'town-hall' } })
  expect(await until('event: changed')).not.toContain('workers')
  answer.destroy()
})

it('does not hold up the end of the server', async () => {
  const streams = await Promise.all([1, 2, 3].map(() => open(own())))
  await Promise.all(streams.map(({ until }) => until('event: snapshot')))
  await server.running.stop()
  await Promise.all(streams.map(({ ended }) => ended))
})
