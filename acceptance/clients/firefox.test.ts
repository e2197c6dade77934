import { afterAll, expect, onTestFinished, test } from 'vitest'
import { nameOfColour } from '../testing/colours.ts'
import { eventually } from '../testing/eventually.ts'
import { FirefoxParticipant } from '../testing/firefox.ts'
import type { Participant } from '../testing/participant.ts'
import type { Layer } from '../testing/published-client.ts'
import { hears, middleOf } from '../testing/seen-and-heard.ts'
import { freePort } from '../testing/server-process.ts'
import { TcpRelay } from '../testing/tcp-relay.ts'
import { BLUE, RED, useDeployment } from '../testing/use-deployment.ts'

const port = await freePort()
const relay = await TcpRelay.open({ port })
const deployment = useDeployment({
  name: 'firefox',
  env: { PARLEY_PORT: String(port), PARLEY_PUBLIC_URL: `https://localhost:${relay.port}` },
})

afterAll(() => relay.close())

/** Red is in Chromium. The fake camera of Firefox has no fixed colour, but its picture changes. */
async function meet(red: Participant, fox: FirefoxParticipant): Promise<void> {
  const members = [red.memberId, fox.memberId]
  const [tiles, tilesAtFox] = await Promise.all([red.layoutOf(members), fox.layoutOf(members)])
  await eventually(
    'Firefox sees Red in its tile',
    () => fox.coloursAt([middleOf(tilesAtFox.get(red.memberId) as Layer)]),
    ([colour]) => colour != null && nameOfColour(colour) === RED.name,
    { timeoutMs: 20_000 },
  )
  const moved = (await red.watch(tiles.get(fox.memberId) as Layer, 2000)).filter(({ change }) => change > 0.5)
  // The picture changes ten times a second.
  expect(moved.length).toBeGreaterThan(5)
  // Without a loudspeaker, Firefox does not run the audio analysis that the other tests use.
  const energy = (await fox.ask('receivedEnergy')) ?? 0
  await eventually(
    'Firefox hears something',
    () => fox.ask('receivedEnergy'),
    (now) => (now ?? 0) > energy,
  )
  await hears(red, [BLUE], [RED])
}

test.each([
  ['hides', true],
  ['shows', false],
])(
  'Firefox, which %s its addresses, and Chromium meet, and go on meeting after the socket of Firefox was cut',
  async (_, hidesAddresses) => {
    const room_name = deployment.roomName()
    const fox = await FirefoxParticipant.open('Firefox', BLUE.toneHz, { hidesAddresses })
    onTestFinished(() => fox.close())
    const red = await deployment.enter(RED, { room_name })
    await fox.join(await deployment.rest.createRoomToken({ user_name: 'Firefox', room_name }))
    await meet(red, fox)
    const { memberId } = fox

    // The client restarts ICE when it resumes. Firefox expects that its DTLS association continues.
    const [before, seenBefore] = [fox.events.mark(), red.events.mark()]
    relay.cut()
    await fox.events.waitFor('socket.close', { since: before })
    await fox.events.waitFor('socket.open', { since: before })
    await fox.moreFrames(40)
    await meet(red, fox)
    expect(fox.memberId).toBe(memberId)
    expect(red.events.all('member.left', seenBefore)).toEqual([])
  },
)
