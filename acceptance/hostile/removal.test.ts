import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, expect, test } from 'vitest'
import { RelayClient } from '../../server/src/testing/relay/relay-client.ts'
import { administer } from '../testing/administration.ts'
import { launchBrowser } from '../testing/browser.ts'
import type { HistoryEvent } from '../testing/rest.ts'
import { BLUE, useDeployment } from '../testing/use-deployment.ts'
import { useMeetingInProgress } from './meeting-in-progress.ts'

const deployment = useDeployment({
  name: 'hostile-removal',
  env: { PARLEY_SEATS_PER_TOKEN: '2' },
  participantsLive: 'for all tests',
})
const meeting = useMeetingInProgress(deployment)

const MODERATOR = ['room.member.remove', 'room.self.audio_mute']
let clients: RelayClient[] = []
afterEach(() => {
  for (const client of clients) client.drop()
  clients = []
})

/** Connects as a program that can send any frame. */
async function connect(token: string, resume: Record<string, unknown> = {}) {
  const { baseUrl, ca } = deployment.access
  const url = baseUrl.replace(/^https/, 'wss')
  const client = await RelayClient.connect(url, token, resume, ca === undefined ? {} : { ca })
  clients.push(client)
  return client
}

async function enter(token: string, resume?: Record<string, unknown>) {
  const client = await connect(token, resume)
  return Object.assign(client, { call: await client.join() })
}

type Entered = Awaited<ReturnType<typeof enter>>

/** A separate room with a moderator in it. */
async function room() {
  const room_name = deployment.roomName()
  const token = (settings = {}) => deployment.rest.createRoomToken({ room_name, ...settings })
  const host = await enter(await token({ user_name: 'Host', permissions: MODERATOR }))
  return { token, host }
}

const remove = (host: Entered, member_id: string) =>
  host.request('video.member.remove', { room_session_id: host.call.sessionId, member_id })

const resumeOf = (client: Entered) => ({
  protocol: client.session.protocol,
  authorization_state: client.events.findLast(({ type }) => type === 'signalwire.authorization.state')?.params
    .authorization_state,
})

const isOut = (client: Entered) => client.vertoEvent('verto.bye')
const REMOVED = /A moderator removed you from this session/

test('a removed member stays out for the rest of the session, unless it is given a new token', async () => {
  const { token, host } = await room()
  const own = await token({ user_name: 'Mallory' })
  const mallory = await enter(own)
  await meeting.goesOnDuring(async () => {
    await remove(host, mallory.call.memberId)
    await isOut(mallory)
    await expect(mallory.join()).rejects.toThrow(/"403".*removed you/)
    await expect(connect(own)).rejects.toThrow(REMOVED)
    await expect(connect(own, resumeOf(mallory))).rejects.toThrow(REMOVED)
  })
  const { data } = (
    await deployment.rest.send<{ data: HistoryEvent[] }>(
      'GET',
      `/room_sessions/${host.call.sessionId}/events`,
    )
  ).body
  expect(data.find(({ name }) => name === 'member.left')?.payload.reason).toBe('removed')
  const again = await enter(await token({ user_name: 'Mallory' }))
  expect(again.call.sessionId).toBe(host.call.sessionId)
})

test('of a shared token the removed client is refused with its resume state, and nobody else', async () => {
  const { token, host } = await room()
  const shared = await token()
  const [mallory, friend] = [await enter(shared), await enter(shared)]
  await meeting.goesOnDuring(async () => {
    await remove(host, mallory.call.memberId)
    await isOut(mallory)
    mallory.drop()
    await expect(connect(shared, resumeOf(mallory))).rejects.toThrow(REMOVED)
  })
  expect(friend.closeCode).toBeNull()
  expect((await enter(shared)).call.sessionId).toBe(host.call.sessionId)
})

test('the reset of a conference token puts out who is in by it, and moderators are told why', async () => {
  const { rest } = deployment
  const made = await rest.send<{ id: string }>('POST', '/conferences', { display_name: 'Open house' })
  const path = `/conferences/${made.body.id}/conference_tokens`
  const { data } = (await rest.send<{ data: { id: string; name: string; token: string }[] }>('GET', path))
    .body
  const tokenOf = (role: string) => data.find(({ name }) => name === role)
  const host = await enter(tokenOf('moderator')?.token ?? '')
  const mallory = await enter(tokenOf('guest')?.token ?? '')
  await meeting.goesOnDuring(async () => {
    await rest.send('POST', `/conference_tokens/${tokenOf('guest')?.id}/reset`)
    await isOut(mallory)
    expect(await host.event('video.member.left')).toMatchObject({ reason: 'token_reset' })
    await expect(connect(tokenOf('guest')?.token ?? '')).rejects.toThrow(/no such conference token/)
  })
})

test('a revoked room token puts out who is in by it and lets nobody in: over REST, and beside the server', async () => {
  const { token, host } = await room()
  const byServer = await token({ user_name: 'Mallory' })
  const byOperator = await token({ user_name: 'Trudy' })
  const [mallory, trudy] = [await enter(byServer), await enter(byOperator)]
  await meeting.goesOnDuring(async () => {
    const { status } = await deployment.rest.send('POST', '/room_tokens/revoke', { token: byServer })
    expect(status).toBe(204)
    await isOut(mallory)
    await expect(connect(byServer)).rejects.toThrow(/token was revoked/)
  })
  const project = ['--project', deployment.access.projectId]
  await administer(deployment.server, 'tokens', 'revoke-room', byOperator, ...project)
  await isOut(trudy)
  await expect(connect(byOperator)).rejects.toThrow(/token was revoked/)
  expect(host.events.map(({ params }) => params.method)).not.toContain('verto.bye')
})

test('one token fills no more seats than the operator lets it', async () => {
  const { token } = await room()
  const shared = await token()
  const [first] = [await enter(shared), await enter(shared)]
  await meeting.goesOnDuring(async () => {
    const eager = await Promise.all(Array.from({ length: 5 }, () => connect(shared)))
    for (const one of eager) await expect(one.join()).rejects.toThrow(/"480".*lets in 2 people at once/)
  })
  await first.verto('verto.bye', { dialogParams: { callID: first.call.callID } })
  await enter(shared)
})

let browser: Browser | undefined
afterAll(() => browser?.close())

/** Opens an invitation link on the server's own page, and joins. */
async function visit(page: Page, token: string): Promise<void> {
  await page.goto(`${deployment.access.baseUrl}/join#${token}`)
  await page.reload()
  await page.getByLabel('Your name').fill('Mallory')
  await page.getByRole('button', { name: 'Join now' }).click()
}

test('on our own page the browser stays out, of a shared invitation too', async () => {
  const { token, host } = await room()
  const shared = await token()
  await enter(shared)
  browser = await launchBrowser(BLUE, { whole: true })
  const page = await browser.newPage({ ignoreHTTPSErrors: true, permissions: ['camera', 'microphone'] })
  const since = host.events.length
  await visit(page, shared)
  const { member } = await host.event('video.member.joined', { since, waitMs: 20_000 })
  await page.getByRole('button', { name: 'Leave' }).waitFor()
  await remove(host, (member as { id: string }).id)
  await page.getByText('A moderator removed you').waitFor()
  // The page and the client session are new, but the browser is the same.
  await visit(page, shared)
  await page.getByText('A moderator removed you').waitFor()
  expect((await enter(shared)).call.sessionId).toBe(host.call.sessionId)
})
