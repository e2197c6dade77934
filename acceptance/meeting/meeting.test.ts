import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { nameOfColour, type Persona } from '../testing/colours.ts'
import { eventually } from '../testing/eventually.ts'
import {
  colourIn,
  frameTimes,
  probe,
  type Sound,
  soundOf,
  stillAt,
  toneLevel,
} from '../testing/media-file.ts'
import type { Participant } from '../testing/participant.ts'
import type { Layer } from '../testing/published-client.ts'
import type { Recording } from '../testing/rest.ts'
import { hears, middleOf, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { BLUE, GREEN, RED, useDeployment, VIOLET, YELLOW } from '../testing/use-deployment.ts'

const FRAMES_PER_SECOND = 20
/** Five browsers and a server take more than two processors, and a browser that gets too little gives up joining. */
const ALL = availableParallelism() >= 4 ? [RED, GREEN, BLUE, YELLOW, VIOLET] : [RED, GREEN, BLUE]
/** Who leaves before the others. */
const LEAVES = 1
const deployment = useDeployment({
  name: 'meeting',
  env: { PARLEY_SESSION_GRACE_SECONDS: '1' },
  participantsLive: 'for all tests',
})

/** A moment of the meeting at which everybody saw the same layout. */
interface Moment {
  atMs: number
  tiles: Map<string, Layer>
  seats: Map<string, Persona>
}

const seated: [Participant, Persona][] = []
let roomName: string
let roomSessionId: string
const MOMENTS = ['the first two', 'all', 'those who stayed'] as const
const moments: Partial<Record<(typeof MOMENTS)[number], Moment>> = {}

beforeAll(async () => {
  roomName = deployment.roomName()
  await deployment.rest.createRoom({ name: roomName, record_on_start: true })
})

async function sit(persona: Persona): Promise<void> {
  const participant = await deployment.enter(persona, { room_name: roomName })
  seated.push([participant, persona])
  roomSessionId = participant.roomSessionId
}

/** Checks that everybody sees and hears everybody. */
async function everybodySeesAndHearsEverybody(): Promise<Moment> {
  const seats = seatsOf(seated)
  const present = [...seats.values()]
  const seen = await Promise.all(seated.map(([participant]) => seesEachInItsTile(participant, seats)))
  await Promise.all(
    seated.map(([participant, persona]) => {
      const others = present.filter((each) => each !== persona)
      return hears(
        participant,
        others,
        ALL.filter((each) => !others.includes(each)),
      )
    }),
  )
  return { atMs: Date.now(), tiles: seen[0]?.tiles ?? new Map(), seats }
}

/** Frames per second that a browser decodes, measured over three seconds. */
async function decodingPace(participant: Participant): Promise<number> {
  const before = await participant.ask('receivedVideo')
  const startedMs = performance.now()
  await timePasses(3000, 'frames are counted')
  const after = await participant.ask('receivedVideo')
  const seconds = (performance.now() - startedMs) / 1000
  return ((after?.framesDecoded ?? 0) - (before?.framesDecoded ?? 0)) / seconds
}

function overlap(a: Layer, b: Layer): boolean {
  const slack = 0.2
  return (
    a.x + a.width > b.x + slack &&
    b.x + b.width > a.x + slack &&
    a.y + a.height > b.y + slack &&
    b.y + b.height > a.y + slack
  )
}

function fitTheCanvas(tiles: readonly Layer[]): void {
  for (const { x, y, width, height } of tiles) {
    expect(Math.min(x, y)).toBeGreaterThanOrEqual(-0.01)
    expect(Math.max(x + width, y + height)).toBeLessThanOrEqual(100.01)
    expect(width).toBeCloseTo(height, 0)
  }
  for (const [i, tile] of tiles.entries()) {
    expect(tiles.slice(i + 1).some((other) => overlap(tile, other))).toBe(false)
  }
}

describe('a meeting', () => {
  test('two see each other where the layout says and hear each other, not themselves', async () => {
    await sit(RED)
    await sit(GREEN)
    moments['the first two'] = await everybodySeesAndHearsEverybody()
    fitTheCanvas([...moments['the first two'].tiles.values()])
  })

  test('more of them do, too', { timeout: 120_000 }, async () => {
    for (const persona of ALL.slice(seated.length)) await sit(persona)
    moments.all = await everybodySeesAndHearsEverybody()
    fitTheCanvas([...moments.all.tiles.values()])
  })

  test('the picture goes on for everybody, at no less than half its pace', { timeout: 90_000 }, async () => {
    for (const [participant] of seated) {
      const { frameWidth, frameHeight } = await participant.moreFrames(1)
      expect([frameWidth, frameHeight]).toEqual([1280, 720])
    }
    // Only a load that lasts makes the check fail.
    await eventually(
      'frames a second that each browser decodes',
      () => Promise.all(seated.map(([participant]) => decodingPace(participant))),
      (paces) => Math.min(...paces) >= FRAMES_PER_SECOND / 2,
      { timeoutMs: 60_000 },
    )
  })

  test('after one leaves, the layout closes up', async () => {
    // Only once, even if this test is retried.
    const [[leaving] = []] = seated.length === ALL.length ? seated.splice(LEAVES, 1) : []
    await leaving?.leave()
    moments['those who stayed'] = await everybodySeesAndHearsEverybody()
    const tiles = [...moments['those who stayed'].tiles.values()]
    fitTheCanvas(tiles)
    for (const { width } of tiles) expect(width).toBeCloseTo(50, 0)
    expect(Math.min(...tiles.map(({ x }) => x))).toBeCloseTo(0, 0)
    expect(Math.max(...tiles.map(({ x }) => x))).toBeCloseTo(50, 0)
  })

  test('the session tells of its members while it runs', async () => {
    const session = await deployment.rest.session(roomSessionId)
    expect(session).toMatchObject({ status: 'in-progress', name: roomName, end_time: null })
    expect(Number(session.duration)).toBeGreaterThan(3)
    const members = await deployment.rest.members(roomSessionId)
    expect(members.map(({ name }) => name)).toEqual(ALL.map(({ name }) => name))
    const left = members.filter(({ leave_time }) => leave_time !== null)
    expect(left.map(({ name }) => name)).toEqual([ALL[LEAVES]?.name])
    const events = await deployment.rest.sessionEvents(roomSessionId)
    expect(events.map(({ name }) => name)).toContain('room.started')
  })
})

describe('the recording of that meeting', () => {
  let directory: string
  let file: string
  let recording: Recording
  let sound: Sound

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'parley-recorded-'))
    await Promise.all(seated.map(([participant]) => participant.leave()))
    const completed = await eventually(
      'the completed recording',
      () => deployment.rest.sessionRecordings(roomSessionId),
      ([first]) => first?.status === 'completed',
    )
    recording = completed[0] as Recording
    const { status, body } = await deployment.rest.download(recording.uri ?? '')
    expect(status).toBe(200)
    file = path.join(directory, 'meeting.mp4')
    await writeFile(file, body)
    sound = await soundOf(file)
  })

  afterAll(async () => {
    await rm(directory, { recursive: true, force: true })
  })

  const secondOf = (moment: Moment) => (moment.atMs - Date.parse(recording.started_at ?? '')) / 1000

  test('is one H264 and AAC file with the true length', async () => {
    const found = await probe(file)
    expect(found.formatNames).toContain('mp4')
    expect(found.video).toMatchObject({ codec: 'h264', width: 1280, height: 720 })
    expect(found.audio).toMatchObject({ codec: 'aac' })
    expect(Math.abs(found.durationSeconds - Number(recording.duration))).toBeLessThanOrEqual(1)
    const ran = (Date.parse(recording.finished_at ?? '') - Date.parse(recording.started_at ?? '')) / 1000
    expect(Math.abs(found.durationSeconds - ran)).toBeLessThanOrEqual(1)
  })

  test.each(MOMENTS)('has the pace of the room with %s in it', async (key) => {
    const end = secondOf(moments[key] as Moment)
    const shown = (await frameTimes(file)).filter((seconds) => seconds > end - 2 && seconds <= end)
    // The server skips late ticks. With browsers on the same machine it may lose some.
    expect(shown.length / 2).toBeGreaterThan(FRAMES_PER_SECOND * 0.5)
    expect(shown.length / 2).toBeLessThan(FRAMES_PER_SECOND * 1.1)
  })

  test.each(MOMENTS)('shows the colours of %s where they were', async (key) => {
    const { tiles, seats, ...moment } = moments[key] as Moment
    const still = await stillAt(file, secondOf({ tiles, seats, ...moment }))
    for (const [memberId, persona] of seats) {
      const colour = colourIn(still, middleOf(tiles.get(memberId) as Layer))
      expect(nameOfColour(colour)).toBe(persona.name)
    }
  })

  test.each(MOMENTS)('has the tones of %s when they were in it', (key) => {
    const moment = moments[key] as Moment
    const end = secondOf(moment)
    const present = new Set(moment.seats.values())
    for (const persona of ALL) {
      const level = toneLevel(sound, persona.toneHz, end - 1, end)
      const where = `${persona.name} in second ${end.toFixed(1)}`
      if (present.has(persona)) expect(level, where).toBeGreaterThan(-50)
      else expect(level, where).toBeLessThan(-65)
    }
  })

  test('and the session is completed', async () => {
    const session = await eventually(
      'the completed session',
      () => deployment.rest.session(roomSessionId),
      ({ status }) => status === 'completed',
    )
    expect(session.end_time).not.toBeNull()
    const members = await deployment.rest.members(roomSessionId)
    expect(members.every(({ leave_time }) => leave_time !== null)).toBe(true)
  })
})
