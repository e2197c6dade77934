import { rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { button, usePageVisitors } from '../testing/page-visitors.ts'
import { gone, killProcesses } from '../testing/processes.ts'
import { useDeployment } from '../testing/use-deployment.ts'
import { expectToGoOn, meetingOfTwo, toldToGoOn } from './meeting-on-the-page.ts'

// Only one worker, so that a new one has to start before a meeting can go on.
const deployment = useDeployment({ name: 'rejoin', env: { PARLEY_MEDIA_WORKERS: '1' } })
const visitors = usePageVisitors(deployment, 'rejoin')
const { complaints, visitor, join } = visitors

const ON_THE_WAY = /Connection lost|The meeting was interrupted/

test('a meeting whose only media worker was killed goes on within three seconds, or as fast as one joins', async () => {
  const meeting = await meetingOfTwo(deployment, visitors)
  const [worker] = await deployment.server.mediaWorkers()
  const back = Promise.all([meeting.ada, meeting.grace].map(toldToGoOn))
  const killedAtMs = Date.now()
  killProcesses([worker?.pid ?? 0])
  const tookMs = Math.max(...(await back)) - killedAtMs
  console.log(`back ${tookMs} ms after the end of the media worker; to join took ${meeting.joinMs} ms`)
  await expectToGoOn(deployment, meeting)
  expect(tookMs).toBeLessThan(Math.max(3000, meeting.joinMs))
})

test('people are back without a click once a killed server is', async () => {
  const meeting = await meetingOfTwo(deployment, visitors)
  await deployment.server.killEverything()
  for (const page of [meeting.ada, meeting.grace]) await page.getByText(ON_THE_WAY).first().waitFor()
  await meeting.ada.getByRole('timer').waitFor()
  const back = Promise.all([meeting.ada, meeting.grace].map(toldToGoOn))
  await deployment.server.launch()
  const readyAtMs = Date.now()
  const tookMs = Math.max(...(await back)) - readyAtMs
  console.log(`back ${tookMs} ms after the server was; to join took ${meeting.joinMs} ms`)
  await expectToGoOn(deployment, meeting)
  // Besides, the pages wait some seconds before they ask again.
  expect(tookMs).toBeLessThan(Math.max(5000, 2000 + meeting.joinMs))
})

test('a token that is refused after a restart is replaced by who holds the API, and a guest is told', async () => {
  const roomName = deployment.roomName()
  await deployment.rest.createRoom({ name: roomName })
  const [host, guest] = [await visitor(), await visitor()]
  await join(host, roomName, 'Ada')
  const invitation = await deployment.rest.createRoomToken({ room_name: roomName, user_name: 'Grace' })
  await guest.goto(`${deployment.access.baseUrl}/join#${invitation}`)
  await button(guest, 'Join now').click()
  await button(guest, 'Leave the room').waitFor()
  await deployment.server.killEverything()
  // Without its key the server accepts no token that it issued before.
  await rm(path.join(deployment.server.dataDir, 'secrets', 'root.key'))
  await deployment.server.launch()
  await toldToGoOn(host)
  await button(host, 'Leave the room').waitFor()
  await guest.getByRole('heading', { name: 'The server refused the invitation' }).waitFor()
  expect(await button(guest, 'Join again').count()).toBe(1)
  await button(guest, 'Leave the room').click()
  await guest.getByRole('heading', { name: 'You left the room' }).waitFor()
})

test('one can leave on the way back', async () => {
  const roomName = deployment.roomName()
  await deployment.rest.createRoom({ name: roomName })
  const page = await visitor()
  await join(page, roomName, 'Ada')
  const pids = await deployment.server.allPids()
  await deployment.server.killEverything()
  await gone(pids)
  await page.getByText(ON_THE_WAY).first().waitFor()
  await button(page, 'Leave the room').click()
  await page.getByRole('heading', { name: 'You left the room' }).waitFor()
  await deployment.server.launch()
  await eventually(
    'nobody is in the room',
    async () => (await deployment.rest.sessionsOf(roomName)).map(({ status }) => status),
    (statuses) => statuses.every((status) => status === 'completed'),
  )
  expect(await page.getByRole('heading', { name: 'You left the room' }).count()).toBe(1)
})

test('nothing failed inside the pages', () => {
  expect(complaints).toEqual([])
})
