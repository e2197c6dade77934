import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { eventually } from '../testing/eventually.ts'
import { frameTimes, probe } from '../testing/media-file.ts'
import { button, picturePlays, usePageVisitors } from '../testing/page-visitors.ts'
import type { Participant } from '../testing/participant.ts'
import { killProcesses } from '../testing/processes.ts'
import { hears, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { BLUE, GREEN, RED, useDeployment, VIOLET, YELLOW } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'serving-worker-killed', env: { PARLEY_MEDIA_WORKERS: '2' } })
const visitors = usePageVisitors(deployment, 'serving-worker-killed')

/** Until the latest load of a worker shows what runs there. */
const LOAD_SHOWS_MS = 5000
const LONGEST_GAP_MS = 1000

/** Processes that serve viewers of a session besides the one that mixes it, as the server's log names them. */
function servingPids(sessionId: string): number[] {
  return deployment.server
    .logLines()
    .filter((line) => line.includes('worker serves viewers of a room') && line.includes(sessionId))
    .map((line) => Number(/"pid":(\d+),"msg"/.exec(line)?.[1]))
}

const MODERATOR = [
  'room.recording',
  'room.member.deaf',
  'room.member.undeaf',
  'room.member.set_output_volume',
]

/** What a viewer hears and sees follows deafness, volume and hold. The other one notices nothing. */
async function followsItsControls(viewer: Participant, moderator: Participant, other: Participant) {
  const { memberId } = viewer
  const hearsBoth = (each: Participant) => hears(each, [RED, GREEN], [BLUE])
  const level = async () => (await viewer.spectrum([RED.toneHz])).tones[0] ?? -200
  const loud = await level()
  await moderator.call('deaf', { memberId })
  await Promise.all([hears(viewer, [], [RED, GREEN]), hearsBoth(other)])
  await moderator.call('undeaf', { memberId })
  await moderator.call('setOutputVolume', { memberId, volume: -30 })
  await eventually('it hears less', level, (now) => now > -100 && now < loud - 6)
  await moderator.call('setOutputVolume', { memberId, volume: 0 })
  await eventually('it hears as before', level, (now) => Math.abs(now - loud) < 4)
  await viewer.call('hold')
  await hears(viewer, [], [RED, GREEN])
  expect(await viewer.watchPace(1000)).toEqual([])
  await viewer.call('unhold')
  await Promise.all([hearsBoth(viewer), viewer.moreFrames(3)])
}

const gaps = (times: readonly number[]) => times.slice(1).map((time, i) => time - (times[i] ?? time))

test('viewers of one room are served by both workers, and the end of one costs its own a moment', {
  timeout: 180_000,
}, async () => {
  const { rest } = deployment
  const room_name = deployment.roomName()
  await rest.createRoom({ name: room_name })
  const red = await deployment.enter(RED, { room_name, permissions: MODERATOR })
  const green = await deployment.enter(GREEN, { room_name })
  const { roomSessionId } = red
  const seats = seatsOf([
    [red, RED],
    [green, GREEN],
  ])

  // While the other worker has more to do, a viewer is served by the one that mixes the room.
  const busy = deployment.roomName()
  await rest.createRoom({ name: busy, quality: '1080p', fps: 30, record_on_start: true })
  const others = [
    await deployment.enter(BLUE, { room_name: busy }),
    await deployment.enter(VIOLET, { room_name: busy }),
  ]
  await timePasses(LOAD_SHOWS_MS, 'the load of the workers is measured')
  const near = await deployment.enter(YELLOW, { room_name, join_as: 'audience' })
  await seesEachInItsTile(near, seats)
  expect(servingPids(roomSessionId)).toEqual([])

  // When it has nothing to do, it serves the next.
  await Promise.all(others.map((other) => other.leave()))
  await timePasses(LOAD_SHOWS_MS, 'the load of the workers is measured')
  const far = await deployment.enter(BLUE, { room_name, join_as: 'audience' })
  await seesEachInItsTile(far, seats)
  const [servingPid = 0] = servingPids(roomSessionId)
  expect((await deployment.server.mediaWorkers()).map(({ pid }) => pid)).toContain(servingPid)
  await Promise.all([near, far].map((viewer) => hears(viewer, [RED, GREEN], [BLUE])))
  await followsItsControls(far, red, near)

  const page = await visitors.visitor({ withoutDevices: true })
  const token = await rest.createRoomToken({ room_name, user_name: 'Grace', join_as: 'audience' })
  await page.goto(`${deployment.access.baseUrl}/join#${token}`)
  await button(page, 'Join to watch and listen').click()
  await button(page, 'Leave the room').waitFor()
  await picturePlays(page)

  // The serving worker dies.
  const { id: recordingId } = await red.call<{ id: string }>('startRecording')
  await timePasses(2000, 'it is recorded')
  const watched = [red, near].map((each) => each.watchPace(6000))
  const told = page.getByText('The meeting was interrupted for a moment and goes on').first()
  const back = told.waitFor({ timeout: 20_000 }).then(() => Date.now())
  const killedAtMs = Date.now()
  killProcesses([servingPid])
  await far.events.waitFor('room.left')
  const tookMs = (await back) - killedAtMs
  process.stdout.write(`back ${tookMs} ms after the end of the serving worker\n`)
  expect(tookMs).toBeLessThan(8000)
  await picturePlays(page)

  // Nobody else notices.
  for (const frames of await Promise.all(watched))
    expect(Math.max(...gaps(frames.map(({ atMs }) => atMs)))).toBeLessThan(LONGEST_GAP_MS)
  for (const each of [red, green, near]) expect(each.events.tail()).not.toContain('room.left')
  await hears(near, [RED, GREEN], [BLUE])
  expect((await rest.session(roomSessionId)).status).toBe('in-progress')

  // The recording is whole.
  await red.onRecording(recordingId, 'stop')
  const kept = await eventually(
    'the completed recording',
    () => rest.recording(recordingId),
    ({ status }) => status === 'completed',
  )
  const directory = await mkdtemp(path.join(tmpdir(), 'parley-whole-'))
  try {
    const file = path.join(directory, 'whole.mp4')
    await writeFile(file, (await rest.download(kept.uri ?? '')).body)
    const times = await frameTimes(file)
    const { durationSeconds } = await probe(file)
    expect(durationSeconds * 1000).toBeGreaterThan(killedAtMs - Date.parse(kept.started_at ?? '') + 3000)
    expect(Math.max(...gaps(times)) * 1000).toBeLessThan(LONGEST_GAP_MS)
    expect(times.at(-1)).toBeGreaterThan(durationSeconds - 1)
  } finally {
    await rm(directory, { recursive: true })
  }
})
