import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { killProcesses } from '../harness/processes.ts'
import { RED, useDeployment } from '../harness/use-deployment.ts'

const deployment = useDeployment({ name: 'moving', env: { PARLEY_MEDIA_WORKERS: '1' } })
const GUIDE = path.join(import.meta.dirname, '../../docs/moving.md')

/** The lines of the guide that come back to a meeting after an accident. */
async function linesOfTheGuide(): Promise<string> {
  const blocks = (await readFile(GUIDE, 'utf8')).matchAll(/^```js\n(.*?)^```$/gms)
  const [lines] = [...blocks].map(([, code = '']) => code).filter((code) => code.includes('room.left'))
  return lines ?? ''
}

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
