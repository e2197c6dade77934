import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FileServer } from '../../server/src/testing/media/file-server.ts'
import { RtmpServer } from '../../server/src/testing/media/rtmp-server.ts'
import { COLOURS, makeColourFile, TONES } from '../../server/src/testing/media/sample-files.ts'
import { nameOfColour } from '../testing/colours.ts'
import { eventually } from '../testing/eventually.ts'
import type { Participant } from '../testing/participant.ts'
import type { Layer, LayoutChanged, MemberEvent } from '../testing/published-client.ts'
import { hears, middleOf, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { BLUE, GREEN, RED, useDeployment } from '../testing/use-deployment.ts'
import { sessionOf, useBackEnds } from './back-ends.ts'

const deployment = useDeployment({ name: 'room-control', env: { PARLEY_ALLOW_PRIVATE_TARGETS: '1' } })
const connect = useBackEnds(deployment)
/** How long the file shows each of its colours. */
const COLOUR_SECONDS = 30
/** Each of the file's tones is louder than this, in dBFS. */
const LOUD_DB = -25
let folder: string
let files: FileServer

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parley-room-control-'))
  await makeColourFile(path.join(folder, 'colours.mp4'), { seconds: COLOUR_SECONDS })
  files = await FileServer.start(folder)
})
afterAll(async () => {
  await files?.close()
  await rm(folder, { recursive: true, force: true })
})

/** A room with two silent people, because a speaker takes places, and the session as the back end sees it. */
async function twoSilent() {
  const room_name = deployment.roomName()
  const backEnd = await connect()
  const red = await deployment.enter(RED, { room_name, join_audio_muted: true })
  const green = await deployment.enter(GREEN, { room_name, join_audio_muted: true })
  return { red, green, session: await sessionOf(backEnd, room_name) }
}

/** Name of the newest layout, and the position of each member in it. */
function arrangement(viewer: Participant): [string | undefined, Record<string, string>] {
  const newest = viewer.events.last('layout.changed')?.params as LayoutChanged | undefined
  const tiles = viewer.tiles().map(({ member_id = '', position }) => [member_id, position] as const)
  return [newest?.layout.name, Object.fromEntries(tiles)]
}

test('layout and positions change for everybody', async () => {
  const { red, green, session } = await twoSilent()
  const told: unknown[] = []
  await session.listen({ onLayoutChanged: (event) => void told.push(event) })
  const arranged = () => expect.poll(() => arrangement(green), { timeout: 5000 })

  const name = 'highlight-1-responsive'
  await session.setLayout({ name, positions: { [green.memberId]: 'reserved-1' } })
  await arranged().toEqual([name, { [green.memberId]: 'reserved-1', [red.memberId]: 'standard-1' }])
  // The package hands on the whole event, though its types say that it is the layout alone.
  await expect.poll(() => told.at(-1)).toMatchObject({ layout: { name } })
  const seats = seatsOf([
    [red, RED],
    [green, GREEN],
  ])
  await seesEachInItsTile(green, seats)
  await session.setPositions({
    positions: { [red.memberId]: 'reserved-1', [green.memberId]: 'off-canvas' },
  })
  await arranged().toEqual([name, { [red.memberId]: 'reserved-1' }])
  await session.setMemberPosition({ memberId: green.memberId, position: 'full-screen' })
  await eventually(
    'Green everywhere',
    () => red.coloursAt([5, 45, 85].map((x) => ({ x, y: 20, width: 10, height: 20 }))),
    (seen) => seen.every((colour) => colour !== null && nameOfColour(colour) === GREEN.name),
  )
})

test('muted cameras are hidden, and raised hands come first, once the room says so', async () => {
  const { red, green, session } = await twoSilent()
  const isNow = (field: string, value: unknown, since: number) =>
    green.events.waitFor<{ room_session: Record<string, unknown> }>('room.updated', {
      since,
      right: ({ room_session }) => room_session[field] === value,
    })
  const hand = (raised: boolean, since: number) =>
    red.events.waitFor<MemberEvent>('member.updated', {
      since,
      right: ({ member }) => member.id === green.memberId && member.handraised === raised,
    })
  const positions = () => arrangement(red)[1]

  await session.setLayout({ name: '2x1' })
  const inOrder = { [red.memberId]: 'standard-1', [green.memberId]: 'standard-2' }
  await expect.poll(positions).toEqual(inOrder)
  let since = green.events.mark()
  await session.setPrioritizeHandraise(true)
  await isNow('prioritize_handraise', true, since)
  since = red.events.mark()
  await session.setRaisedHand({ memberId: green.memberId })
  await hand(true, since)
  await expect.poll(positions).toEqual({ [green.memberId]: 'standard-1', [red.memberId]: 'standard-2' })
  since = red.events.mark()
  await session.setRaisedHand({ memberId: green.memberId, raised: false })
  await hand(false, since)
  await expect.poll(positions).toEqual(inOrder)

  await session.videoMute({ memberId: red.memberId })
  since = green.events.mark()
  await session.setHideVideoMuted(true)
  await isNow('hide_video_muted', true, since)
  await green.layoutOf([green.memberId])
  await session.setHideVideoMuted(false)
  await green.layoutOf([red.memberId, green.memberId])
})

test('meta of the room and of a member is set, updated and deleted in parts', async () => {
  const { red, green, session } = await twoSilent()
  const { memberId } = red
  const told: unknown[] = []
  await session.listen({ onRoomUpdated: ({ meta }) => void told.push(meta) })
  const ofRoom = () =>
    (green.events.last('room.updated')?.params as { room_session: { meta?: unknown } } | undefined)
      ?.room_session.meta
  const ofMember = () => (green.events.last('member.updated')?.params as MemberEvent | undefined)?.member.meta
  const steps = [
    { set: { topic: 'tea', year: 2026 }, is: { topic: 'tea', year: 2026 } },
    { update: { topic: 'cake' }, is: { topic: 'cake', year: 2026 } },
    { delete: ['year'], is: { topic: 'cake' } },
  ]
  for (const step of steps) {
    if (step.set) {
      await session.setMeta(step.set)
      await session.setMemberMeta({ memberId, meta: step.set })
    } else if (step.update) {
      await session.updateMeta(step.update)
      await session.updateMemberMeta({ memberId, meta: step.update })
    } else {
      await session.deleteMeta(step.delete)
      await session.deleteMemberMeta({ memberId, keys: step.delete })
    }
    await expect.poll(ofRoom).toEqual(step.is)
    await expect.poll(ofMember).toEqual(step.is)
    await expect.poll(() => told.at(-1)).toEqual(step.is)
    expect(await session.getMeta()).toEqual({ meta: step.is })
    expect(await session.getMemberMeta({ memberId })).toEqual({ meta: step.is })
  }
})

test('a viewer is promoted, seen and heard, and demoted again', async () => {
  const room_name = deployment.roomName()
  const backEnd = await connect()
  const red = await deployment.enter(RED, { room_name })
  const blue = await deployment.enter(BLUE, { room_name, join_as: 'audience' })
  const session = await sessionOf(backEnd, room_name)
  const told: string[] = []
  await session.listen({
    onMemberJoined: ({ id }) => void told.push(`joined ${id}`),
    onMemberLeft: ({ id }) => void told.push(`left ${id}`),
  })
  const { memberId } = blue
  await session.promote({ memberId, meta: { seat: 'front' }, permissions: ['room.self.audio_mute'] })
  const { params } = await red.events.waitFor<MemberEvent>('member.joined', {
    right: ({ member }) => member.id === memberId,
  })
  expect(params.member).toMatchObject({ type: 'member', meta: { seat: 'front' } })
  const seats = seatsOf([
    [red, RED],
    [blue, BLUE],
  ])
  await seesEachInItsTile(red, seats)
  await hears(red, [BLUE], [RED])
  await session.demote({ memberId })
  await red.layoutOf([red.memberId])
  await hears(red, [], [BLUE])
  await expect.poll(() => told).toEqual([`joined ${memberId}`, `left ${memberId}`])
})

/** Colour of the picture of the playing file, by the name of its strongest part. */
async function colourOfFile(viewer: Participant): Promise<string | undefined> {
  const { params } = viewer.events.last('layout.changed') ?? {}
  const layers = (params as { layout: { layers: (Layer & { playing_file: boolean })[] } } | undefined)?.layout
    .layers
  const layer = layers?.find(({ playing_file }) => playing_file)
  const [colour] = layer ? await viewer.coloursAt([middleOf(layer)]) : []
  return colour ? COLOURS[colour.indexOf(Math.max(...colour))] : undefined
}

test('a file is played, made quieter, paused, moved in and stopped, and its promises settle', async () => {
  const { red, session } = await twoSilent()
  const shows = (colour: string) =>
    eventually(
      `${colour} from the file`,
      () => colourOfFile(red),
      (seen) => seen === colour,
    )
  const level = async (tone: number) => (await red.spectrum([tone])).tones[0] ?? -200
  await expect(session.play({ url: files.url('nothing.mp4') }).onStarted()).rejects.toMatchObject({
    code: '500',
  })
  const playing = session.play({ url: files.url('colours.mp4') })
  const playback = await playing.onStarted()
  expect(playback).toMatchObject({ state: 'playing', seekable: true, volume: 0 })
  expect((await session.getPlaybacks()).playbacks.map(({ id }) => id)).toEqual([playback.id])
  await shows('red')
  await eventually(
    'the first tone',
    () => level(TONES[0]),
    (now) => now > LOUD_DB,
  )
  await playback.setVolume(-30)
  await eventually(
    'a lower tone',
    () => level(TONES[0]),
    (now) => now < LOUD_DB - 6,
  )
  await playback.pause()
  await eventually(
    'silence',
    () => level(TONES[0]),
    (now) => now < -65,
  )
  await playback.seek(COLOUR_SECONDS * 1000 + 2000)
  await playback.resume()
  await shows('green')
  await playback.setVolume(0)
  await eventually(
    'the second tone',
    () => level(TONES[1]),
    (now) => now > LOUD_DB,
  )
  await playback.forward(COLOUR_SECONDS * 1000)
  await shows('blue')
  await playback.rewind(2 * COLOUR_SECONDS * 1000)
  await shows('red')
  await playback.stop()
  expect(await playing).toMatchObject({ id: playback.id, state: 'completed' })
  expect(await playing.onEnded()).toMatchObject({ id: playback.id, state: 'completed' })
  await expect.poll(() => colourOfFile(red)).toBeUndefined()
  await expect(playback.pause()).rejects.toThrow('ended')
})

test('a stream reaches its server until it is stopped, and its promises settle', async () => {
  const server = await RtmpServer.start(path.join(folder, 'stream.flv'))
  try {
    const { session } = await twoSilent()
    const streaming = session.startStream({ url: `rtmp://127.0.0.1:${server.port}/app/key` })
    const stream = await streaming.onStarted()
    await server.receiving()
    expect((await session.getStreams()).streams.map(({ id }) => id)).toEqual([stream.id])
    await stream.stop()
    expect(await streaming).toMatchObject({ id: stream.id, state: 'completed' })
    await server.ended()
  } finally {
    await server.kill()
  }
})
