import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { gone, killProcesses } from '../testing/processes.ts'
import { seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { RED, useDeployment } from '../testing/use-deployment.ts'
import { expectRecordingKept, expectSessionCompleted, recordedMeeting } from './kept-recording.ts'

// Only one worker, so that it is the one that carries the room.
const deployment = useDeployment({ name: 'media-worker-killed', env: { PARLEY_MEDIA_WORKERS: '1' } })

const GUIDE = path.join(import.meta.dirname, '../../docs/moving.md')

/** The lines of the guide that return to a meeting after an interruption. */
async function linesOfTheGuide(): Promise<string> {
  const blocks = (await readFile(GUIDE, 'utf8')).matchAll(/^```js\n(.*?)^```$/gms)
  const [lines] = [...blocks].map(([, code = '']) => code).filter((code) => code.includes('room.left'))
  return lines ?? ''
}

test('a killed media worker costs its rooms a new join and nothing else', { timeout: 120_000 }, async () => {
  const { rest, server } = deployment
  const meeting = await recordedMeeting(deployment)
  const { red, green, roomName: room_name, roomSessionId } = meeting
  const workers = (await server.mediaWorkers()).map(({ pid }) => pid)
  expect(workers).toHaveLength(1)
  const killedAtMs = Date.now()
  killProcesses(workers)
  await gone(workers)

  // The API continues to answer at once.
  const answeredMs: number[] = []
  for (let i = 0; i < 10; i++) {
    const askedMs = performance.now()
    expect((await rest.send('GET', `/rooms/${room_name}`)).status).toBe(200)
    answeredMs.push(performance.now() - askedMs)
  }
  expect(Math.max(...answeredMs)).toBeLessThan(1000)

  // The clients see a clean end of their legs.
  for (const each of [red, green]) {
    await each.events.waitFor('room.left')
    await each.events.waitFor('destroy')
  }

  // The session is completed, with an event that says why.
  await expectSessionCompleted(rest, meeting, killedAtMs)
  const faults = (await rest.sessionEvents(roomSessionId)).filter(({ level }) => level !== 'info')
  expect(faults.map(({ name, payload }) => `${name} ${JSON.stringify(payload)}`).join()).toMatch(/worker/i)

  // A new worker replaces it, and the same room can be joined again at once.
  const back = await deployment.enter(RED, { room_name })
  expect(back.roomSessionId).not.toBe(roomSessionId)
  await seesEachInItsTile(back, seatsOf([[back, RED]]))
  const replaced = (await server.mediaWorkers()).map(({ pid }) => pid)
  expect(replaced).toHaveLength(1)
  expect(replaced).not.toEqual(workers)
  expect(await server.readyStatus()).toBe(200)

  await expectRecordingKept(rest, meeting, killedAtMs)
})

test('the lines of the guide bring the published client back when the media worker has died', async () => {
  const { rest, server } = deployment
  const room_name = deployment.roomName()
  const token = await rest.createRoomToken({ room_name, user_name: RED.name })
  const { page } = await deployment.open(RED)
  await page.evaluate(
    ([lines = '', token]) => {
      const rootElement = document.body.appendChild(document.createElement('div'))
      const run = new Function('Video', 'token', 'rootElement', `${lines}; join()`)
      run(window.SignalWire.Video, token, rootElement)
    },
    [await linesOfTheGuide(), token],
  )
  const runningSession = async () => {
    const [session] = await rest.sessionsOf(room_name)
    return session?.status === 'in-progress' ? session.id : null
  }
  const before = await eventually('the session', runningSession, (id) => id !== null)
  await eventually(
    'sound and picture of the server',
    () =>
      page.evaluate(() => [...document.querySelectorAll('video')].some(({ videoWidth }) => videoWidth > 0)),
    (plays) => plays,
  )
  killProcesses((await server.mediaWorkers()).map(({ pid }) => pid))
  const after = await eventually('another session', runningSession, (id) => id !== null && id !== before)
  const present = async () =>
    (await rest.members(after ?? '')).filter(({ leave_time }) => leave_time === null)
  expect((await present()).map(({ name }) => name)).toEqual([RED.name])
})
