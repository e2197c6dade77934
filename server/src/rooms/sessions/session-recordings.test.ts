import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Refusal } from '../../errors/refusal.ts'
import { GRACE, SessionWorld, Witness } from '../../testing/simulation/session-world.ts'

let world: SessionWorld

beforeEach(async () => {
  world = await SessionWorld.open()
})
afterEach(() => world.close())

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof Refusal ? error.code : error),
  )

describe('recordings', () => {
  test('go from recording over processing to completed, with what is true of the file', async () => {
    const ada = new Witness('Ada')
    const { session } = await world.join(ada, { room_name: 'r' })
    const recording = await session.recordings.start()
    await world.settled()
    expect((await world.history(session)).recordings).toMatchObject([
      {
        id: recording.id,
        status: 'recording',
        started_at: world.clock.now(),
        format: 'video/mp4',
        file: `${recording.id}.mp4`,
      },
    ])
    expect(session.runningRecordings).toHaveLength(1)
    await world.clock.advance(7000)
    const { finished } = session.recordings.stop(recording.id)
    expect(session.runningRecordings).toEqual([])
    await finished
    await world.settled()
    const { recordings, events } = await world.history(session)
    expect(recordings).toMatchObject([
      { status: 'completed', duration_ms: 7000, size_in_bytes: 1000, finished_at: world.clock.now() },
    ])
    expect(events.filter(({ room_recording_id }) => room_recording_id).map(({ name }) => name)).toEqual([
      'recording.started',
      'recording.ended',
      'recording.completed',
    ])
    expect(ada.types.slice(-4)).toEqual([
      'recording_started',
      'room_updated',
      'recording_ended',
      'room_updated',
    ])
  })

  test('run one at a time, and one that is over cannot be stopped again', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    const { id } = await session.recordings.start()
    expect(await refusal(session.recordings.start())).toBe('invalid_state')
    await session.recordings.finish(id)
    expect(() => session.recordings.stop(id)).toThrow(Refusal)
    expect(() => session.recordings.stop('unknown')).toThrow(/no such recording/)
    expect(await refusal(session.recordings.start())).toBe('none')
    expect(session.recordings.all).toHaveLength(2)
  })

  test('that are stopped while they start are started first', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    const media = world.media.roomOf(session.id)
    if (!media) throw new Error('no media room')
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const startRecording = media.startRecording.bind(media)
    media.startRecording = async (id, file) => {
      ask()
      await held
      return startRecording(id, file)
    }
    const starting = session.recordings.start()
    await asked
    const [recording] = session.recordings.all
    const { finished } = session.recordings.stop(recording?.id ?? '')
    release()
    await Promise.all([starting, finished])
    await world.settled()
    expect((await world.history(session)).recordings).toMatchObject([
      { status: 'completed', started_at: world.clock.now(), size_in_bytes: 1000 },
    ])
    expect(media.recordings.size).toBe(0)
  })

  test('pause and resume', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    const { id } = await session.recordings.start()
    expect(await refusal(session.recordings.resume(id))).toBe('invalid_state')
    await session.recordings.pause(id)
    expect(await refusal(session.recordings.pause(id))).toBe('invalid_state')
    await world.settled()
    expect((await world.history(session)).recordings[0]?.status).toBe('paused')
    await session.recordings.resume(id)
    await session.recordings.finish(id)
    expect(await refusal(session.recordings.pause(id))).toBe('invalid_state')
  })

  test('start with the session where the room says so, and end with it', async () => {
    await world.addRoom({ name: 'kept', record_on_start: true })
    const { session, legId } = await world.join(new Witness('Ada'), { room_name: 'kept' })
    // The join does not wait for the recording.
    await vi.waitFor(() => expect(session.runningRecordings).toHaveLength(1))
    await world.clock.advance(20_000)
    session.departures.hangUp(legId)
    await world.clock.advance(GRACE.sessionGraceMs)
    await session.finished
    const { recordings } = await world.history(session)
    expect(recordings).toMatchObject([{ status: 'completed', duration_ms: 20_000 + GRACE.sessionGraceMs }])
    expect(world.media.rooms.size).toBe(0)
  })

  test('are told only to those who may record', async () => {
    const [ada, bob] = [new Witness('Ada'), new Witness('Bob')]
    const { session } = await world.join(ada, { room_name: 'r' })
    await world.join(bob, { room_name: 'r', permissions: [] })
    await session.recordings.start()
    expect(ada.types).toContain('recording_started')
    expect(bob.types).not.toContain('recording_started')
  })

  test('that fail by themselves are completed with what there is', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    const recording = await session.recordings.start()
    await world.clock.advance(3000)
    const reason = 'no space left on device'
    world.media
      .roomOf(session.id)
      ?.emit('recordingFailed', { recordingId: recording.id, reason, result: null })
    await world.settled()
    const { recordings, events } = await world.history(session)
    expect(recordings).toMatchObject([{ status: 'completed', duration_ms: 3000, size_in_bytes: 900 }])
    expect(events.find(({ name }) => name === 'recording.ended')).toMatchObject({
      level: 'error',
      payload: { reason },
    })
  })

  test('are repaired when the media worker dies, and the room can be joined again at once', async () => {
    const ada = new Witness('Ada')
    const { session, legId } = await world.join(ada, { room_name: 'r' })
    await session.recordings.start()
    await world.clock.advance(4000)
    world.media.roomOf(session.id)?.die()
    const again = await world.join(new Witness('Bob'), { room_name: 'r' })
    expect(again.session).not.toBe(session)
    expect(ada.ended).toEqual([{ legId, cause: 'media_worker_died' }])
    const { record, recordings, events } = await world.history(session)
    expect(record).toMatchObject({ status: 'completed', end_time: world.clock.now() })
    expect(recordings).toMatchObject([{ status: 'completed', duration_ms: 4000, size_in_bytes: 900 }])
    expect(events.find(({ name }) => name === 'room.ended')).toMatchObject({
      level: 'error',
      payload: { reason: 'media_worker_died', detail: 'killed by SIGKILL' },
    })
  })

  test('are stopped from outside of the room, and waited for', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    const { id } = await session.recordings.start()
    await world.registry.stopRecording('another project', id)
    expect(session.runningRecordings).toHaveLength(1)
    await world.registry.stopRecording(world.projectId, id)
    expect(session.recordings.all[0]?.state).toBe('completed')
    await world.registry.stopRecording(world.projectId, id)
  })
})

describe('a stop of the server', () => {
  test('tells everybody, completes sessions and recordings, and refuses newcomers', async () => {
    const ada = new Witness('Ada')
    const { session } = await world.join(ada, { room_name: 'r' })
    await session.recordings.start()
    await world.registry.stop()
    expect(ada.ended.map(({ cause }) => cause)).toEqual(['shutdown'])
    const { record, recordings } = await world.history(session)
    expect(record?.status).toBe('completed')
    expect(recordings[0]?.status).toBe('completed')
    expect(await refusal(world.join(new Witness('Bob'), { room_name: 'r' }))).toBe('unavailable')
    await world.clock.advance(60_000)
    expect(world.clock.pendingCount).toBe(0)
  })
})

describe('after a kill of the server', () => {
  test('sessions end when they were last alive, members with them, recordings are repaired', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    const { id } = await session.recordings.start()
    await world.clock.advance(5400)
    const aliveAt = (await world.history(session)).record?.alive_at ?? 0
    // The process is gone, with its timers. Storage and files stay.
    world.registry = world.newRegistry()
    await world.registry.recover()
    await world.settled()
    const { record, members, recordings, events } = await world.history(session)
    expect(record).toMatchObject({ status: 'completed', end_time: aliveAt })
    expect(members.map(({ leave_time }) => leave_time)).toEqual([aliveAt])
    expect(recordings).toMatchObject([{ id, status: 'completed', size_in_bytes: 900 }])
    expect(recordings[0]?.finished_at).toBe(
      (recordings[0]?.started_at ?? 0) + (recordings[0]?.duration_ms ?? 0),
    )
    expect(events.slice(-2)).toMatchObject([
      { name: 'room.ended', level: 'error', payload: { reason: 'server_interrupted' } },
      { name: 'recording.completed', level: 'warning' },
    ])
    expect((await world.join(new Witness('Bob'), { room_name: 'r' })).session.id).not.toBe(session.id)
  })

  test('nobody has left before having joined', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    await world.clock.advance(5400)
    await world.join(new Witness('Bob'), { room_name: 'r' })
    const killedAt = world.clock.now()
    await world.clock.advance(100)
    world.registry = world.newRegistry()
    await world.registry.recover()
    const { record, members, events } = await world.history(session)
    expect(record?.end_time).toBe(killedAt)
    expect(members.map(({ leave_time }) => leave_time)).toEqual([killedAt, killedAt])
    expect(events.at(-1)?.payload).toMatchObject({ ended_at: new Date(killedAt).toISOString() })
  })

  test('a recording of which nothing can be played is completed as empty, with an error event', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    await session.recordings.start()
    await world.settled()
    world.media.files.clear()
    world.registry = world.newRegistry()
    await world.registry.recover()
    await world.settled()
    const { recordings, events } = await world.history(session)
    expect(recordings).toMatchObject([{ status: 'completed', size_in_bytes: 0, duration_ms: 0 }])
    expect(events.at(-1)).toMatchObject({ name: 'recording.failed', level: 'error' })
  })
})
