import { afterAll, expect, test } from 'vitest'
import type { Participant } from '../testing/participant.ts'
import type { MemberEvent } from '../testing/published-client.ts'
import { hears, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { freePort } from '../testing/server-process.ts'
import { TcpRelay } from '../testing/tcp-relay.ts'
import { BLUE, GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

const GRACE_SECONDS = 8
const port = await freePort()
const relay = await TcpRelay.open({ port })
const deployment = useDeployment({
  name: 'reconnection',
  env: {
    PARLEY_PORT: String(port),
    PARLEY_PUBLIC_URL: `https://localhost:${relay.port}`,
    PARLEY_RECONNECT_GRACE_SECONDS: String(GRACE_SECONDS),
  },
})

afterAll(() => relay.close())

const ofMember = (id: string) => (params: MemberEvent) => params.member.id === id

const DROPS = {
  'closed by the browser': (client: Participant) => client.ask('closeSockets'),
  'cut by the network': () => relay.cut(),
}

test.each(Object.entries(DROPS))(
  'a client whose socket is %s keeps its seat, its media goes on, and it resumes',
  async (_, drop) => {
    const room_name = deployment.roomName()
    const red = await deployment.enter(RED, { room_name })
    const green = await deployment.enter(GREEN, { room_name })
    const seats = seatsOf([
      [red, RED],
      [green, GREEN],
    ])
    const { tiles } = await seesEachInItsTile(green, seats)
    const { memberId } = red
    const [before, seenBefore] = [red.events.mark(), green.events.mark()]

    await drop(red)
    await red.events.waitFor('socket.close', { since: before })
    // During this time its picture still moves for the other member, and it still receives the composed picture.
    const tile = tiles.get(memberId) ?? { x: 0, y: 0, width: 100, height: 100 }
    const mark = { ...tile, y: tile.y + tile.height * 0.7, height: tile.height * 0.3 }
    const moved = (await green.watch(mark, 1500)).filter(({ change }) => change > 0.5)
    expect(moved.length).toBeGreaterThan(12)
    await red.moreFrames(20)

    await red.events.waitFor('socket.open', { since: before })
    const { members } = await red.call<{ members: { id: string }[] }>('getMembers')
    expect(members.map(({ id }) => id).sort()).toEqual([...seats.keys()].sort())
    await red.call('audioMute')
    await green.events.waitFor<MemberEvent>('member.updated', {
      since: seenBefore,
      right: ({ member }) => member.id === memberId && member.audio_muted === true,
    })
    await red.call('audioUnmute')
    expect(red.memberId).toBe(memberId)
    await seesEachInItsTile(red, seats)
    await hears(green, [RED], [GREEN])
    expect(green.events.all('member.left', seenBefore)).toEqual([])
    expect(green.events.all('member.joined', seenBefore)).toEqual([])
    expect(red.events.all('room.left', before)).toEqual([])
  },
)

test('a reload takes the old seat back', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name })
  const green = await deployment.enter(GREEN, { room_name })
  const seats = seatsOf([
    [red, RED],
    [green, GREEN],
  ])
  await seesEachInItsTile(green, seats)
  const { memberId, roomSessionId } = red
  const seenBefore = green.events.mark()

  await red.reload()
  const again = await red.join(red.token)
  expect(again).toMatchObject({ memberId, roomSessionId })
  await seesEachInItsTile(red, seats)
  await seesEachInItsTile(green, seats)
  await hears(red, [GREEN], [RED])
  await hears(green, [RED], [GREEN])
  expect(green.events.all('member.left', seenBefore)).toEqual([])
  expect(green.events.all('member.joined', seenBefore)).toEqual([])
  expect(await deployment.rest.members(roomSessionId)).toHaveLength(2)
})

test('a client that never comes back loses its seat after the grace', async () => {
  const room_name = deployment.roomName()
  const green = await deployment.enter(GREEN, { room_name })
  const blue = await deployment.enter(BLUE, { room_name })
  await green.layoutOf([green.memberId, blue.memberId])
  const { memberId } = blue
  await blue.close()
  const closedAtMs = Date.now()
  const { atMs } = await green.events.waitFor<MemberEvent>('member.left', {
    right: ofMember(memberId),
    timeoutMs: GRACE_SECONDS * 1000 + 5000,
  })
  expect(atMs - closedAtMs).toBeGreaterThan((GRACE_SECONDS - 1) * 1000)
  await green.layoutOf([green.memberId])
  await seesEachInItsTile(green, seatsOf([[green, GREEN]]))
})
