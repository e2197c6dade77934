import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { nameOfColour } from '../testing/colours.ts'
import { eventually } from '../testing/eventually.ts'
import { colourIn, probe, stillAt } from '../testing/media-file.ts'
import type { Participant } from '../testing/participant.ts'
import type { Recording } from '../testing/rest.ts'
import { middleOf, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({
  name: 'recording',
  env: { PARLEY_SESSION_GRACE_SECONDS: '1' },
  participantsLive: 'for all tests',
})
const WHOLE = { x: 0, y: 0, width: 100, height: 100 }
const RECORDED_MS = 5000

/** The client passes its own recording object to the listener. */
interface RecordingEvent {
  id: string
  state: string
}

describe('a recording started and stopped by a member', () => {
  let moderator: Participant
  let guest: Participant
  let recordingId: string
  let stoppedAtMs: number
  let completed: Recording
  let file: string
  let directory: string

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'parley-recording-'))
    const room_name = deployment.roomName()
    moderator = await deployment.enter(RED, { room_name, permissions: ['room.recording'] })
    guest = await deployment.enter(GREEN, { room_name })
    await seesEachInItsTile(
      moderator,
      seatsOf([
        [moderator, RED],
        [guest, GREEN],
      ]),
    )
  })

  afterAll(async () => {
    await rm(directory, { recursive: true, force: true })
  })

  test('is refused to a member without the permission', async () => {
    const refused = await guest.refusalOf(guest.call('startRecording'))
    expect(refused.code).toBe('403')
    expect(await deployment.rest.sessionRecordings(moderator.roomSessionId)).toEqual([])
  })

  test('starts: the member and the REST interface tell so', async () => {
    const { id } = await moderator.call<{ id: string }>('startRecording')
    recordingId = id
    const { params } = await moderator.events.waitFor<RecordingEvent>('recording.started')
    expect(params).toMatchObject({ id, state: 'recording' })
    const running = await deployment.rest.recording(id)
    expect(running).toMatchObject({
      room_session_id: moderator.roomSessionId,
      status: 'recording',
      finished_at: null,
    })
    expect(running.started_at).not.toBeNull()
    const { recordings } = await moderator.call<{ recordings: { id: string }[] }>('getRecordings')
    expect(recordings.map((each) => each.id)).toContain(id)
  })

  test('stops, and its file can be had within 2 s', async () => {
    const started = Date.parse((await deployment.rest.recording(recordingId)).started_at ?? '')
    await timePasses(Math.max(0, started + RECORDED_MS - Date.now()), 'it is recorded')
    await moderator.onRecording(recordingId, 'stop')
    stoppedAtMs = Date.now()
    completed = await eventually(
      'the completed recording',
      () => deployment.rest.recording(recordingId),
      ({ status }) => {
        expect(['recording', 'processing', 'completed']).toContain(status)
        return status === 'completed'
      },
      { timeoutMs: 10_000, everyMs: 50 },
    )
    const { status, headers, body } = await deployment.rest.download(completed.uri ?? '')
    expect(Date.now() - stoppedAtMs).toBeLessThan(2000)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('video/mp4')
    expect(headers['content-length']).toBe(String(body.length))
    file = path.join(directory, 'stopped.mp4')
    await writeFile(file, body)
    expect(completed.size_in_bytes).toBe(body.length)
    const { params } = await moderator.events.waitFor<RecordingEvent>('recording.ended')
    expect(params).toMatchObject({ id: recordingId, state: 'completed' })
  })

  test('has the format, length and content that it says', async () => {
    expect(completed.format).toBe('video/mp4')
    const found = await probe(file)
    expect(found.durationSeconds).toBeGreaterThan(RECORDED_MS / 1000 - 0.5)
    expect(found.durationSeconds).toBeLessThan(RECORDED_MS / 1000 + 2)
    expect(Math.abs(found.durationSeconds - Number(completed.duration))).toBeLessThanOrEqual(1)
    expect(Math.abs(found.video?.startSeconds ?? 9)).toBeLessThan(0.1)
    expect(Math.abs(found.audio?.startSeconds ?? 9)).toBeLessThan(0.1)
    for (const second of [0, 1, 3]) {
      const still = await stillAt(file, second)
      const own = moderator.tiles().find(({ member_id }) => member_id === moderator.memberId)
      expect(nameOfColour(colourIn(still, middleOf(own ?? WHOLE)))).toBe(RED.name)
    }
  })

  test('tells its history', async () => {
    const names = (await deployment.rest.recordingEvents(recordingId)).map(({ name }) => name)
    expect(names.length).toBeGreaterThanOrEqual(2)
    expect(names.every((name) => name.startsWith('recording.'))).toBe(true)
  })

  test('can be read in ranges', async () => {
    const whole = (await deployment.rest.download(completed.uri ?? '')).body
    const part = await deployment.rest.download(completed.uri ?? '', { range: 'bytes=100-299' })
    expect(part.status).toBe(206)
    expect(part.headers['content-range']).toBe(`bytes 100-299/${whole.length}`)
    expect(part.body.equals(whole.subarray(100, 300))).toBe(true)
    const tail = await deployment.rest.download(completed.uri ?? '', { range: 'bytes=-50' })
    expect(tail.status).toBe(206)
    expect(tail.body.equals(whole.subarray(-50))).toBe(true)
    const beyond = await deployment.rest.download(completed.uri ?? '', { range: `bytes=${whole.length}-` })
    expect(beyond.status).toBe(416)
  })

  test('is closed to a forged link', async () => {
    const link = new URL(completed.uri ?? '', deployment.access.baseUrl)
    const open = await deployment.rest.download(link.href)
    expect(open.status).toBe(200)
    for (const key of link.searchParams.keys()) {
      const forged = new URL(link)
      const value = forged.searchParams.get(key) ?? ''
      const digit = value.at(-2) === '1' ? '2' : '1'
      forged.searchParams.set(key, value.slice(0, -2) + digit + value.slice(-1))
      expect((await deployment.rest.download(forged.href)).status, key).toBeGreaterThanOrEqual(400)
    }
    const bare = new URL(link.pathname, link)
    expect((await deployment.rest.download(bare.href)).status).toBeGreaterThanOrEqual(400)
  })

  test('is closed when its link has expired', async () => {
    const expired = await deployment.rest.recording(recordingId, '?media_ttl=0')
    expect((await deployment.rest.download(expired.uri ?? '')).status).toBeGreaterThanOrEqual(400)
    const short = await deployment.rest.recording(recordingId, '?media_ttl=1')
    expect((await deployment.rest.download(short.uri ?? '')).status).toBe(200)
    await eventually(
      'the end of a link of one second',
      async () => (await deployment.rest.download(short.uri ?? '')).status,
      (status) => status >= 400 && status < 500,
      { timeoutMs: 3000 },
    )
  })

  test('is gone, with its file, when it is deleted', async () => {
    const { uri } = await deployment.rest.recording(recordingId)
    const { status } = await deployment.rest.send('DELETE', `/room_recordings/${recordingId}`)
    expect(status).toBe(204)
    expect((await deployment.rest.download(uri ?? '')).status).toBeGreaterThanOrEqual(400)
    expect((await deployment.rest.send('GET', `/room_recordings/${recordingId}`)).status).toBe(404)
    expect(await deployment.rest.sessionRecordings(moderator.roomSessionId)).toEqual([])
    if (process.env.PARLEY_BASE_URL !== undefined) return
    const files = await readdir(deployment.server.dataDir, { recursive: true })
    expect(files.filter((name) => name.endsWith('.mp4'))).toEqual([])
  })

  test('is finished by the end of the session, where nobody stopped it', async () => {
    const { id } = await moderator.call<{ id: string }>('startRecording')
    await moderator.moreFrames(40)
    await Promise.all([moderator.leave(), guest.leave()])
    const finished = await eventually(
      'the completed recording',
      () => deployment.rest.recording(id),
      ({ status }) => status === 'completed',
    )
    const last = path.join(directory, 'last.mp4')
    await writeFile(last, (await deployment.rest.download(finished.uri ?? '')).body)
    const found = await probe(last)
    expect(found.durationSeconds).toBeGreaterThan(1.5)
    expect(Math.abs(found.durationSeconds - Number(finished.duration))).toBeLessThanOrEqual(1)
  })
})
