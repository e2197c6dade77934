import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { nameOfColour, type Persona } from '../testing/colours.ts'
import { eventually } from '../testing/eventually.ts'
import { colourIn, probe, stillAt } from '../testing/media-file.ts'
import type { Participant } from '../testing/participant.ts'
import type { Rest } from '../testing/rest.ts'
import { middleOf, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { type Deployment, GREEN, RED } from '../testing/use-deployment.ts'

const RECORDED_MS = 7000
const MAY_BE_LOST_MS = 2000
/** Sound may continue for this time after the last picture: a busy machine skips pictures, never sound. */
const SOUND_ALONE_SECONDS = 0.5

/** A meeting of two members that has been recorded for a while. */
export interface RecordedMeeting {
  roomName: string
  roomSessionId: string
  recordingId: string
  startedAtMs: number
  red: Participant
  green: Participant
}

/** Records a meeting of two members for 7 s. */
export async function recordedMeeting(deployment: Deployment): Promise<RecordedMeeting> {
  const { rest } = deployment
  const roomName = deployment.roomName()
  await rest.createRoom({ name: roomName, record_on_start: true })
  const red = await deployment.enter(RED, { room_name: roomName })
  const green = await deployment.enter(GREEN, { room_name: roomName })
  await seesEachInItsTile(
    red,
    seatsOf([
      [red, RED],
      [green, GREEN],
    ]),
  )
  const { roomSessionId } = red
  const [recording] = await rest.sessionRecordings(roomSessionId)
  const startedAtMs = Date.parse(recording?.started_at ?? '')
  await timePasses(Math.max(0, startedAtMs + RECORDED_MS - Date.now()), 'it is recorded')
  return { roomName, roomSessionId, recordingId: recording?.id ?? '', startedAtMs, red, green }
}

/** Checks that the session ended when it was cut off, and that all its members have left. */
export async function expectSessionCompleted(
  rest: Rest,
  { roomSessionId }: RecordedMeeting,
  cutOffAtMs: number,
): Promise<void> {
  const session = await eventually(
    'the completed session',
    () => rest.session(roomSessionId),
    ({ status }) => status === 'completed',
  )
  const endedAtMs = Date.parse(session.end_time ?? '')
  expect(endedAtMs).toBeGreaterThan(cutOffAtMs - 3000)
  expect(endedAtMs).toBeLessThan(cutOffAtMs + 3000)
  const members = await rest.members(roomSessionId)
  expect(members.map(({ leave_time }) => leave_time === null)).toEqual([false, false])
}

async function expectShownAt(file: string, seconds: number, viewer: Participant, persona: Persona) {
  const tile = viewer.tiles().find(({ member_id }) => member_id === viewer.memberId)
  const colour = colourIn(
    await stillAt(file, seconds),
    middleOf(tile ?? { x: 0, y: 0, width: 100, height: 100 }),
  )
  expect(nameOfColour(colour)).toBe(persona.name)
}

/**
 * Checks that everything recorded until shortly before the end is playable, and that the recording's stored data is
 * correct.
 * @param mayBeLostMs how much before the end; 2 s by default
 */
export async function expectRecordingKept(
  rest: Rest,
  { recordingId, startedAtMs, red }: RecordedMeeting,
  cutOffAtMs: number,
  mayBeLostMs = MAY_BE_LOST_MS,
): Promise<void> {
  const kept = await eventually(
    'the completed recording',
    () => rest.recording(recordingId),
    ({ status }) => status === 'completed',
  )
  const directory = await mkdtemp(path.join(tmpdir(), 'parley-kept-'))
  try {
    const file = path.join(directory, 'kept.mp4')
    const { status, body } = await rest.download(kept.uri ?? '')
    expect(status).toBe(200)
    expect(kept.size_in_bytes).toBe(body.length)
    await writeFile(file, body)
    const { durationSeconds, video } = await probe(file)
    const ranMs = cutOffAtMs - startedAtMs
    process.stdout.write(
      `recorded ${(ranMs / 1000).toFixed(2)} s until the end, kept ${durationSeconds.toFixed(2)} s\n`,
    )
    expect(durationSeconds * 1000).toBeGreaterThan(ranMs - mayBeLostMs)
    expect(durationSeconds * 1000).toBeLessThan(ranMs + 1000)
    expect(Math.abs(durationSeconds - Number(kept.duration))).toBeLessThanOrEqual(1)
    await expectShownAt(file, durationSeconds / 2, red, RED)
    const pictureEnd = video?.endSeconds ?? 0
    expect(pictureEnd).toBeGreaterThan(durationSeconds - SOUND_ALONE_SECONDS)
    await expectShownAt(file, pictureEnd, red, RED)
  } finally {
    await rm(directory, { recursive: true })
  }
}
