import { afterAll, beforeAll, expect, test } from 'vitest'
import { frozenMs, seatsOf, seesEachInItsTile } from '../harness/seen-and-heard.ts'
import { freePort } from '../harness/server-process.ts'
import { GREEN, RED, useDeployment } from '../harness/use-deployment.ts'
import { LossyLink } from './lossy-link.ts'

const WATCHED_MS = 60_000
const FROZEN_AT_MOST_MS = 0.03 * WATCHED_MS
/** Five pictures of the room, or four of the camera: what is slower than that, somebody sees standing still. */
const LONGEST_STEP_MS = 250
const ROUND_TRIP = { delayMs: 50, jitterMs: 5 }

const link = await LossyLink.open()
const port = await freePort()
const deployment = useDeployment({
  name: 'loss',
  env: {
    PARLEY_PORT: String(port),
    PARLEY_PUBLIC_URL: `https://${link.nearAddress}:${port}`,
    PARLEY_ANNOUNCED_IP: link.nearAddress,
  },
})

beforeAll(() => link.spoil({ lossPercent: 0, ...ROUND_TRIP }))
afterAll(() => link.close())

test('with 5 % loss at 100 ms round trip the picture stands still less than 3 % of a minute', {
  timeout: 150_000,
}, async () => {
  const room_name = deployment.roomName()
  const near = await deployment.enter(GREEN, { room_name })
  const far = await deployment.enter(RED, { room_name }, { namespace: link.namespace })
  const seats = seatsOf([
    [near, GREEN],
    [far, RED],
  ])
  const { tiles } = await seesEachInItsTile(near, seats)
  await seesEachInItsTile(far, seats)
  const before = await link.statistics()
  const [receivedBefore] = await Promise.all([far.ask('receivedVideo')])

  link.spoil({ lossPercent: 5, ...ROUND_TRIP })
  const farTile = tiles.get(far.memberId)
  if (farTile === undefined) throw new Error('no tile')
  const markOf = ({ x, y, width, height }: typeof farTile) => ({
    x,
    y: y + height * 0.7,
    width,
    height: height * 0.3,
  })
  const [atNear, atFar] = await Promise.all([
    near.watch(markOf(farTile), WATCHED_MS),
    far.watch({ x: 0, y: 0, width: 100, height: 100 }, WATCHED_MS),
  ])
  link.spoil({ lossPercent: 0, ...ROUND_TRIP })

  // The loss was really there, in both directions.
  const after = await link.statistics()
  for (const direction of ['toFar', 'toNear'] as const) {
    const sent = after[direction].sent - before[direction].sent
    const lost = after[direction].lost - before[direction].lost
    expect(sent).toBeGreaterThan(1500)
    expect(lost / sent).toBeGreaterThan(0.03)
  }
  // Downlink: frames of the composed picture as the far browser presents them.
  const downlink = frozenMs(
    atFar.map(({ atMs }) => atMs),
    LONGEST_STEP_MS,
  )
  // Uplink: how the far camera's mark moves in the picture of somebody with a good network.
  const moved = atNear.filter(({ change }, i) => change > 0.3 || i === 0 || i === atNear.length - 1)
  const uplink = frozenMs(
    moved.map(({ atMs }) => atMs),
    LONGEST_STEP_MS,
  )
  const received = await far.ask('receivedVideo')
  const byBrowser = (received?.totalFreezesDuration ?? 99) - (receivedBefore?.totalFreezesDuration ?? 0)
  const seen = JSON.stringify({
    downlink,
    uplink,
    byBrowser,
    received,
    sent: await far.ask('sentVideo'),
    after,
  })
  process.stdout.write(`5 % loss, 100 ms: ${seen}\n`)
  expect(atFar.at(-1)?.atMs ?? 0, seen).toBeGreaterThan((atFar[0]?.atMs ?? 0) + WATCHED_MS * 0.95)
  expect(moved.length, seen).toBeGreaterThan((WATCHED_MS / 1000) * 8)
  expect(downlink, seen).toBeLessThan(FROZEN_AT_MOST_MS)
  expect(uplink, seen).toBeLessThan(FROZEN_AT_MOST_MS)
  expect(byBrowser * 1000, seen).toBeLessThan(FROZEN_AT_MOST_MS)
})
