import { beforeAll, expect, test } from 'vitest'
import { administer } from '../testing/administration.ts'
import { type ChatClients, enterConferenceChat, openChat } from '../testing/chat-clients.ts'
import { type Answer, type Page, Rest } from '../testing/rest.ts'
import { BLUE, useDeployment } from '../testing/use-deployment.ts'
import { useMeetingInProgress } from './meeting-in-progress.ts'

/** Callers that are admitted, and try more than they may. */

const deployment = useDeployment({ name: 'hostile-access', participantsLive: 'for all tests' })
const meeting = useMeetingInProgress(deployment)

interface Address {
  id: string
  name: string
  preview_url: string | null
}
interface Tokens {
  subscriber_id: string
  token: string
  refresh_token: string
}

const FABRIC = '/api/fabric'
const bearer = (token: string) => `Bearer ${token}`

async function signIn(reference: string, expire_at?: number): Promise<Tokens> {
  const body = { reference, expire_at }
  const answer = await deployment.rest.send<Tokens>('POST', `${FABRIC}/subscribers/tokens`, body)
  expect(answer.status).toBe(200)
  return answer.body
}

const addresses = (token: string, query = '') =>
  deployment.rest.send<Page<Address>>('GET', `${FABRIC}/addresses${query}`, undefined, bearer(token))
const statusOf = async (token: string) => (await addresses(token)).status
const refresh = (refresh_token: string, token: string): Promise<Answer<Tokens>> =>
  deployment.rest.send('POST', `${FABRIC}/subscribers/tokens/refresh`, { refresh_token }, bearer(token))
const guestToken = (token: string, body: object): Promise<Answer<{ token: string }>> =>
  deployment.rest.send('POST', `${FABRIC}/guests/tokens`, body, bearer(token))
const parley = (...words: string[]) => administer(deployment.server, ...words)
const project = () => ['--project', deployment.access.projectId]

let board: string
let lobby: string
beforeAll(async () => {
  const make = async (name: string) =>
    (await deployment.rest.createRoom({ name, enable_room_previews: true })).id
  board = await make('board-meeting')
  lobby = await make('public-lobby')
})

test('a subscriber sees itself and the rooms that its project opens, and nothing else', async () => {
  await parley('projects', 'open-rooms', deployment.access.projectId, '--rooms', 'public-*')
  await meeting.goesOnDuring(async () => {
    const [mallory, ada] = [await signIn('mallory'), await signIn('ada@example.org')]
    const { body } = await addresses(mallory.token)
    expect(body.data.map(({ id }) => id).sort()).toEqual([lobby, mallory.subscriber_id].sort())
    expect(JSON.stringify(body)).not.toMatch(/ada@|board-meeting/)
    for (const id of [board, ada.subscriber_id]) {
      const one = `${FABRIC}/addresses/${id}`
      expect((await deployment.rest.send('GET', one, undefined, bearer(mallory.token))).status).toBe(404)
      expect((await guestToken(mallory.token, { allowed_addresses: [id] })).status).toBe(422)
    }
  })
})

test('a guest token ends with that of its subscriber', async () => {
  const inAMinute = Math.floor(Date.now() / 1000) + 60
  const { token } = await signIn('mallory', inAMinute)
  const wish = { allowed_addresses: [lobby], expire_at: inAMinute + 86_400 }
  const guest = (await guestToken(token, wish)).body.token
  const claims = JSON.parse(Buffer.from(guest.split('.')[1] ?? '', 'base64url').toString())
  expect(claims.exp).toBe(inAMinute)
})

test('a refresh token works once, and a stolen one voids what was made of it', async () => {
  await meeting.goesOnDuring(async () => {
    const victim = await signIn('victim')
    const thief = await refresh(victim.refresh_token, victim.token)
    expect(thief.status).toBe(201)
    expect(await statusOf(thief.body.token)).toBe(200)
    expect((await refresh(victim.refresh_token, victim.token)).status).toBe(422)
    expect(await statusOf(thief.body.token)).toBe(401)
    expect((await refresh(thief.body.refresh_token, (await signIn('victim')).token)).status).toBe(422)

    const racer = await signIn('racer')
    const race = Array.from({ length: 20 }, () => refresh(racer.refresh_token, racer.token))
    const won = (await Promise.all(race)).filter(({ status }) => status === 201)
    expect(won).toHaveLength(1)
  })
})

test('a subscriber that is revoked is out at once, and who did it can be read', async () => {
  const { token, subscriber_id } = await signIn('leaver')
  const guest = (await guestToken(token, { allowed_addresses: [lobby] })).body.token
  const listed = JSON.parse(
    await parley('subscribers', 'list', ...project(), '--reference', 'leaver', '--json'),
  )
  expect(listed).toMatchObject([{ id: subscriber_id, sign_ins: 1 }])
  await parley('subscribers', 'revoke', subscriber_id, ...project())
  for (const one of [token, guest]) expect(await statusOf(one)).toBe(401)

  const again = await signIn('leaver')
  const revocation = { reference: 'leaver' }
  const path = `${FABRIC}/subscribers/tokens/revoke`
  expect((await deployment.rest.send('POST', path, revocation, bearer(again.token))).status).toBe(401)
  expect((await deployment.rest.send('POST', path, revocation)).status).toBe(204)
  expect(await statusOf(again.token)).toBe(401)
  const log = JSON.parse(await parley('audit', ...project(), '--limit', '2', '--json'))
  expect(log).toMatchObject([
    { action: 'subscriber.revoke', target: subscriber_id, actor: { kind: 'api-token' } },
    { action: 'subscriber.revoke', target: subscriber_id, actor: { kind: 'os-user' } },
  ])
})

test('an API token for something else opens nothing of the fabric', async () => {
  const apiToken = await parley('tokens', 'create', ...project(), '--scopes', 'fax')
  const fax = new Rest({ ...deployment.access, apiToken })
  try {
    for (const [method, path, body] of [
      ['GET', '/addresses', undefined],
      ['GET', `/addresses/${board}`, undefined],
      ['POST', '/subscribers/tokens', { reference: 'x' }],
      ['POST', '/subscribers/tokens/refresh', { refresh_token: 'x' }],
      ['POST', '/subscribers/tokens/revoke', { reference: 'mallory' }],
    ] as const) {
      expect((await fax.send(method, FABRIC + path, body)).status, path).toBe(403)
    }
  } finally {
    await fax.close()
  }
})

test('a guest of a conference cannot rename the moderator in its chat, nor itself', async () => {
  const conference = await deployment.rest.send<{ name: string }>('POST', '/conferences', {
    display_name: 'Chat',
  })
  const room_name = conference.body.name
  // Two pages of one browser without cameras: four cameras on two cores would delay the pictures by themselves.
  const enter = async (user_name: string): Promise<ChatClients> =>
    openChat(await deployment.enter(BLUE, { room_name, user_name, media_allowed: 'audio-only' }))
  const [moderator, guest] = [await enter('Moderator'), await enter('Guest')]
  const channel = await enterConferenceChat(moderator, 'moderator')
  await enterConferenceChat(guest, 'guest')
  const members = async () => {
    const { members } = (await moderator.call('moderator', 'getMembers', { channel })) as {
      members: { id: string; state: { name: string } }[]
    }
    return members
  }
  const [host] = await members()
  await meeting.goesOnDuring(async () => {
    const state = { name: 'Somebody else' }
    const renaming = { memberId: host?.id, channels: [channel], state }
    expect(await guest.call('guest', 'setMemberState', renaming)).toMatchObject({ rejected: { code: '403' } })
    expect(await guest.call('guest', 'setMemberState', { channels: [channel], state })).toBeNull()
    expect((await members()).map((member) => member.state.name)).toEqual(['Moderator', 'Guest'])
  })
})
