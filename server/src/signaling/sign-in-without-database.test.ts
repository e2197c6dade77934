import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { newId } from '../ids.ts'
import { startTestServer, type TestServer } from '../testing/server-for-tests.ts'
import { type TemporaryCluster, temporaryCluster } from '../testing/temporary-cluster.ts'

vi.setConfig({ testTimeout: 40_000, hookTimeout: 60_000 })

const DOMAIN = 'meet.example.org'
/** The published client gives up then, and does not say why. */
const CLIENT_PATIENCE_MS = 10_000

let database: TemporaryCluster
let server: TestServer
beforeAll(async () => {
  database = await temporaryCluster()
  // With spaces each sign-in asks the database for the project.
  server = await startTestServer({
    PARLEY_DATABASE_URL: await database.createDatabase(),
    PARLEY_SERVICE_DOMAIN: DOMAIN,
    PARLEY_PUBLIC_URL: 'https://www.example.org',
  })
})
afterAll(async () => {
  database.resume()
  await server.stop()
  await database.remove()
})

interface Answer {
  id: string
  error?: { code: number; message: string }
  result?: { code?: string; message?: string; protocol?: string }
}

/** Signs in on a socket of its own. @returns what the server sent until then, and after that */
async function signIn(
  authentication: object,
): Promise<{ answers: Answer[]; first: Answer; socket: WebSocket }> {
  const ca = readFileSync(join(server.dataDir, 'tls', 'ca.pem'))
  const { port } = server.running.address
  const socket = new WebSocket(`wss://127.0.0.1:${port}`, { ca, headers: { host: 'localhost' } })
  const answers: Answer[] = []
  const id = newId()
  const first = new Promise<Answer>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Answer & { method?: string }
      if (frame.method || frame.id !== id) return
      answers.push(frame)
      resolve(frame)
    })
    const params = { authentication, version: { major: 3, minor: 0, revision: 0 } }
    socket.on('open', () =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'signalwire.connect', params })),
    )
    setTimeout(() => reject(new Error('the client has given up')), CLIENT_PATIENCE_MS).unref()
  })
  return { answers, first: await first, socket }
}

test('whoever signs in while the database hangs is told so before the client gives up, and once', async () => {
  const body = { room_name: 'r', user_name: 'Ada' }
  const { token } = (await server.call('room_tokens', { method: 'POST', body })).json
  const chat = { channels: { one: { read: true, write: true } }, ttl: 10, member_id: 'ada' }
  const { token: chatToken } = (await server.call('/api/chat/tokens', { method: 'POST', body: chat })).json
  database.pause()
  const signIns = await Promise.all([
    signIn({ jwt_token: token }),
    signIn({ jwt_token: chatToken }),
    signIn({ project: server.projectId, token: server.apiToken }),
  ])
  for (const { first } of signIns) {
    expect(first.error?.message ?? first.result?.message).toMatch(/cannot use its database now/)
    expect(first.result?.protocol).toBeUndefined()
  }
  // What the database answers later is nobody's any more.
  database.resume()
  const again = await signIn({ jwt_token: token })
  expect(again.first.result?.protocol).toBeDefined()
  expect(signIns.map(({ answers }) => answers.length)).toEqual([1, 1, 1])
  for (const { socket } of [...signIns, again]) socket.terminate()
})
