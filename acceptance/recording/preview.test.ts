import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nameOfColour } from '../testing/colours.ts'
import { eventually } from '../testing/eventually.ts'
import { colourIn, probe, stillAt } from '../testing/media-file.ts'
import { middleOf, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'preview', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'parley-preview-'))
})

afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

test('a room with previews shows the picture of its session, small and silent, while the session lasts', async () => {
  const room_name = deployment.roomName()
  await deployment.rest.createRoom({ name: room_name, enable_room_previews: true })
  const red = await deployment.enter(RED, { room_name })
  const green = await deployment.enter(GREEN, { room_name })
  const seats = seatsOf([
    [red, RED],
    [green, GREEN],
  ])
  await seesEachInItsTile(red, seats)
  const tiles = await red.layoutOf([red.memberId, green.memberId])
  const { preview_url: link } = await deployment.rest.session(red.roomSessionId)
  expect(link).toContain(red.roomSessionId)
  const told = await red.events.waitFor<{ room_session: { preview_url: string } }>('room.joined')
  expect(told.params.room_session.preview_url).toBe(link)

  const file = path.join(directory, 'preview.mp4')
  // The first clip may show only one member, who was alone at that time.
  await eventually(
    'both members in the preview',
    async () => {
      const { status, body } = await deployment.rest.download(link ?? '')
      if (status !== 200) return []
      await writeFile(file, body)
      const still = await stillAt(file, 3)
      return [...seats.keys()].map((id) =>
        nameOfColour(colourIn(still, middleOf(tiles.get(id) ?? { x: 0, y: 0, width: 1, height: 1 }))),
      )
    },
    (names) => names.join() === [RED, GREEN].map(({ name }) => name).join(),
    { timeoutMs: 40_000 },
  )
  const { video, audio, durationSeconds } = await probe(file)
  expect(video).toMatchObject({ codec: 'h264', width: 320, height: 180 })
  expect(audio).toBeNull()
  expect(durationSeconds).toBeCloseTo(4, 0)

  await Promise.all([red.leave(), green.leave()])
  await eventually(
    'the end of the session',
    () => deployment.rest.session(red.roomSessionId),
    ({ status, preview_url }) => status === 'completed' && preview_url === null,
  )
  expect((await deployment.rest.download(link ?? '')).status).toBe(404)
})
