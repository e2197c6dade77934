/**
 * Runs meetings for a given time and checks that the server does not grow. People come, leave and vanish. Rooms are
 * recorded, streamed and deleted.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../acceptance/testing/eventually.ts'
import { Rest } from '../../acceptance/testing/rest.ts'
import { ServerProcess } from '../../acceptance/testing/server-process.ts'
import { RtmpServer } from '../../server/src/testing/media/rtmp-server.ts'
import { median } from '../median.ts'
import { report } from '../report.ts'
import { Pause } from './pause.ts'
import { People } from './people-process.ts'
import { type Figures, SAMPLED_ENV, type Sample, takeSample } from './samples.ts'

/** Number of rooms at the same time. */
const ROOMS = 2
const SAMPLE_EVERY_MS = 60_000
/** Speed is not measured here, and other work may run beside it, so the timeouts are long. */
const PATIENTLY = { timeoutMs: 120_000 }
/** The last quarter of the samples may have at most this many times the second quarter. */
const GROWTH_LIMIT = 1.05
/** A run with fewer samples is over before the server is warm: growth says nothing. */
const LEAST_SAMPLES = 8
/** Small numbers may vary by one or two by chance, such as the descriptors of a pending request. */
const SLACK: Readonly<Record<keyof Figures, number>> = {
  mainMib: 2,
  workersMib: 8,
  descriptors: 4,
  timers: 4,
  openRows: 4,
}

interface Scene {
  server: ServerProcess
  rest: Rest
  people: People
  folder: string
  /** The pause between two meetings. */
  pause: Pause
  isOver: () => boolean
}

/** @param minutes how long the run lasts */
export async function soakChurn(minutes: number): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-soak-'))
  const server = await ServerProcess.start('soak', {
    ...SAMPLED_ENV,
    // With several workers, chance would decide how many rooms each has at once, and so the peak of its allocator.
    PARLEY_MEDIA_WORKERS: '1',
    PARLEY_ALLOW_PRIVATE_TARGETS: '1',
    PARLEY_SESSION_GRACE_SECONDS: '1',
    PARLEY_RECONNECT_GRACE_SECONDS: '3',
  })
  const rest = new Rest(server.access)
  const people = new People(server.access.baseUrl, path.join(server.dataDir, 'tls/ca.pem'))
  const endsAtMs = performance.now() + minutes * 60_000
  const isOver = () => performance.now() > endsAtMs
  const scene: Scene = { server, rest, people, folder, pause: new Pause(ROOMS), isOver }
  try {
    await people.ready()
    const rooms = Array.from({ length: ROOMS }, (_, index) => liveOn(scene, index))
    const [samples, ...counts] = await Promise.all([watch(scene), ...rooms])
    report({ what: 'meetings', value: counts.reduce((sum, count) => sum + count, 0) })
    compare(samples)
  } finally {
    people.close()
    await rest.close()
    await server.stop()
    await server.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs one meeting after another. @returns the number of meetings */
async function liveOn(scene: Scene, index: number): Promise<number> {
  let meetings = 0
  while (!scene.isOver()) {
    await scene.pause.pass()
    await meet(scene, `soak-${index}-${++meetings}`)
  }
  scene.pause.leave()
  return meetings
}

/**
 * Runs a room from its creation to its deletion. It is recorded and streamed, and people leave, come back and vanish.
 */
async function meet({ rest, people, folder }: Scene, name: string): Promise<void> {
  const room = await rest.createRoom({ name, record_on_start: true, enable_room_previews: true })
  const token = await rest.createRoomToken({ room_name: name })
  const sink = await RtmpServer.start(path.join(folder, `${name}.flv`))
  try {
    const url = `rtmp://127.0.0.1:${sink.port}/app/key`
    await rest.send('POST', `/rooms/${room.id}/streams`, { url })
    const first = await people.join(token)
    const second = await people.join(token)
    const third = await people.join(token)
    await eventually(
      'a picture',
      () => people.framesReceived(third),
      (frames) => frames > 20,
      PATIENTLY,
    )
    await people.leave(second)
    await people.vanish(third)
    const back = await people.join(token)
    await delay(8000)
    await people.leave(first)
    await people.leave(back)
    await clearAway(rest, name)
  } finally {
    await sink.kill()
    await rm(path.join(folder, `${name}.flv`), { force: true })
  }
}

async function clearAway(rest: Rest, name: string): Promise<void> {
  const [session] = await rest.sessionsOf(name)
  await eventually(
    `${name} over and recorded`,
    async () => ({
      session: await rest.session(session!.id),
      files: await rest.sessionRecordings(session!.id),
    }),
    (seen) => seen.session.status === 'completed' && seen.files.every(({ status }) => status === 'completed'),
    PATIENTLY,
  )
  for (const { id } of await rest.sessionRecordings(session!.id)) await rest.deleteRecording(id)
  await rest.send('DELETE', `/rooms/${session!.room_id}`)
}

/** What running meetings need is not growth, so each sample is taken while all rooms are closed. */
async function watch({ server, pause, isOver }: Scene): Promise<Sample[]> {
  const samples: Sample[] = []
  while (!isOver()) {
    await delay(SAMPLE_EVERY_MS)
    const sample = await pause.whileAllRest(() => takeSample(server))
    samples.push(sample)
    console.log(
      Object.entries(sample)
        .map(([name, value]) => `${name} ${value.toFixed(1)}`)
        .join(', '),
    )
  }
  return samples
}

/**
 * The median of a quarter shows what is kept: a single sample may contain memory that was freed a moment later. In the first
 * quarter code is compiled, and allocators come to the peak that they keep. What leaks goes on growing after it.
 */
function compare(samples: readonly Sample[]): void {
  const size = Math.max(1, Math.floor(samples.length / 4))
  const usual = (from: number, name: keyof Figures) =>
    median(samples.slice(from, from + size).map((one) => one[name]))
  for (const name of Object.keys(SLACK) as (keyof Figures)[]) {
    report({ what: `${name}, first quarter`, value: usual(0, name) })
    const last = { what: `${name}, last quarter`, value: usual(samples.length - size, name) }
    if (samples.length < LEAST_SAMPLES) {
      report(last)
      continue
    }
    const before = usual(size, name)
    report({ what: `${name}, second quarter`, value: before })
    const limit = Math.max(before * GROWTH_LIMIT, before + SLACK[name])
    report({ ...last, limit, direction: 'at most' })
  }
}
