import { type ChildProcess, spawn } from 'node:child_process'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

const STEPS_UP = ['still-rooms', 'small-cameras', 'fast-encoding', 'fps-15', 'fps-10', 'no-rooms']
/** As the client is told that a room is full (client protocol, section 6). */
const FULL = '480'
/** Threads that make pictures have a higher niceness, so that they get what these leave. */
const NICENESS = '2'
const HOGS = 12

const deployment = useDeployment({
  name: 'overload',
  env: { PARLEY_MEDIA_WORKERS: '1', PARLEY_OVERLOAD_STEP: 'no-rooms' },
})

const hogs: ChildProcess[] = []
const relieve = () => hogs.splice(0).forEach((hog) => void hog.kill('SIGKILL'))
afterAll(relieve)

/** What the worker has given up, one after the other. */
const stepsTaken = () =>
  deployment.server
    .logLines()
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => (JSON.parse(line) as { step?: string }).step ?? [])

test('a machine with too much to do gives up one thing after the other, then new rooms, and takes it back', async () => {
  const red = await deployment.enter(RED, { room_name: deployment.roomName() })
  await red.moreFrames(20)
  expect(stepsTaken()).toEqual([])
  for (let count = 0; count < HOGS; count++)
    hogs.push(spawn('nice', ['-n', NICENESS, process.execPath, '-e', 'for (;;) {}'], { stdio: 'ignore' }))
  await eventually(
    'all steps',
    async () => stepsTaken(),
    (steps) => steps.length >= STEPS_UP.length,
    { timeoutMs: 80_000 },
  )
  expect(stepsTaken().slice(0, STEPS_UP.length)).toEqual(STEPS_UP)
  const step = () => deployment.rest.metric('parley_media_worker_overload_step')
  await eventually('the step in the figures', step, ([worker]) => worker === STEPS_UP.length)

  const green = await deployment.open(GREEN)
  const token = await deployment.rest.createRoomToken({ room_name: deployment.roomName() })
  expect((await green.refusalOf(green.join(token))).code).toBe(FULL)
  // Who is in a room stays there.
  await red.moreFrames(5)

  relieve()
  const undone = async () => stepsTaken().slice(STEPS_UP.length)
  await eventually('a step that is undone', undone, (steps) => steps.length > 0, { timeoutMs: 30_000 })
  expect((await undone())[0]).toBe('fps-10')
  await green.joinAndAwaitFirstFrame(token)
}, 180_000)
