import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import {
  button,
  people,
  picturePlays,
  previewShows,
  usePageVisitors,
  widthOf,
} from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'page', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
const { complaints, visitor, greenRoomOf, join } = usePageVisitors(deployment, 'page')

test('the API token is asked for once', async () => {
  const { baseUrl, projectId, apiToken } = deployment.access
  const page = await visitor()
  await page.goto(baseUrl)
  await page.getByLabel('Project id').fill(projectId)
  await page.getByLabel('API token').fill('wrong')
  await button(page, 'Sign in').click()
  expect(await page.getByRole('alert').textContent()).toContain('is wrong')
  await page.getByText(`npx parley tokens create --project ${projectId} --scopes all`).waitFor()
  await page.getByLabel('API token').fill(apiToken)
  await page.getByRole('switch', { name: 'Remember on this device' }).click()
  await button(page, 'Sign in').click()
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  const later = await page.context().newPage()
  await later.goto(baseUrl)
  await later.getByRole('navigation', { name: 'Rooms' }).waitFor()
  await button(later, 'Sign out').click()
  await later.getByLabel('API token').waitFor()
  await later.reload()
  await later.getByLabel('API token').waitFor()
})

test('a link signs in, and the token does not stay in the address bar', async () => {
  const { baseUrl, projectId, apiToken } = deployment.access
  const page = await visitor()
  await page.goto(`${baseUrl}/#${new URLSearchParams({ project: projectId, token: apiToken })}`)
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  await page.getByText('Default project').or(page.getByTitle('Project id')).first().waitFor()
  expect(page.url()).toBe(`${baseUrl}/`)
  expect(await page.evaluate(() => localStorage.getItem('parley.credentials'))).toBeNull()
  await page.reload()
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
})

test('a room is created with a name that the API takes', async () => {
  const title = `Café ${deployment.roomName()}`
  const page = await visitor()
  await greenRoomOf(page, 'anything')
  await page.getByRole('link', { name: 'Back' }).click()
  await button(page, 'New room').or(button(page, 'Create the first room')).first().click()
  await button(page, 'Create room').click()
  await page.getByText('Give the room a name.').waitFor()
  await page.getByLabel('Room name').fill(title)
  await page.getByRole('radio', { name: '1080p' }).click()
  await page.getByRole('switch', { name: 'Record every session' }).click()
  await button(page, 'Create room').click()
  await page.getByRole('heading', { name: title }).waitFor()
  const name = title.toLowerCase().replace('café ', 'cafe-')
  const { body } = await deployment.rest.send('GET', `/rooms/${name}`)
  expect(body).toMatchObject({ name, display_name: title, quality: '1080p', record_on_start: true })
  await button(page, 'New room').click()
  await page.getByLabel('Room name').fill(title)
  await button(page, 'Create room').click()
  await page.getByText('There is a room with this name already.').waitFor()
})

test('two people meet, one records it, and the recording plays on the page', async () => {
  const roomName = deployment.roomName()
  await deployment.rest.createRoom({ name: roomName })
  const [ada, grace] = [await visitor(), await visitor()]
  await join(ada, roomName, 'Ada')
  await join(grace, roomName, 'Grace')
  await Promise.all([picturePlays(ada), picturePlays(grace)])

  await button(ada, 'Show people').click()
  await eventually(
    'both are listed',
    () => people(ada).allTextContents(),
    (names) => names.length === 2,
  )
  await button(grace, 'Turn microphone off').click()
  await people(ada).filter({ hasText: 'Grace' }).getByLabel('microphone off').waitFor()
  await button(grace, 'Turn camera off').click()
  await people(ada).filter({ hasText: 'Grace' }).getByLabel('camera off').waitFor()

  await button(ada, 'Start recording').click()
  await grace.getByRole('timer').waitFor()
  await eventually(
    'three seconds are recorded',
    async () => (await ada.getByRole('timer').textContent()) ?? '',
    (clock) => clock >= '0:03',
  )
  await button(ada, 'Stop recording').click()
  await ada.getByRole('timer').waitFor({ state: 'detached' })

  await button(ada, 'Leave the room').click()
  await ada.getByRole('heading', { name: 'You left the room' }).waitFor()
  await button(ada, /^Play the recording/).click()
  const player = ada.getByLabel(/^Recording of/)
  await eventually(
    'the recording plays',
    () => player.evaluate((video: HTMLVideoElement) => ({ at: video.currentTime, of: video.duration })),
    ({ at, of }) => at > 1 && of >= 2,
  )
})

/** Counts the running tracks of the device's own camera and microphone. Install it before the page loads. */
async function countDevices(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const tracks: MediaStreamTrack[] = []
    const { mediaDevices } = navigator
    const open = mediaDevices.getUserMedia.bind(mediaDevices)
    mediaDevices.getUserMedia = async (constraints) => {
      const stream = await open(constraints)
      tracks.push(...stream.getTracks())
      return stream
    }
    Object.assign(window, { runningDevices: () => tracks.filter((one) => one.readyState === 'live').length })
  })
  return () => page.evaluate(() => (window as unknown as { runningDevices(): number }).runningDevices())
}

test('who joins with camera and microphone off runs neither, and can turn them on later', async () => {
  const roomName = deployment.roomName()
  const page = await visitor()
  const running = await countDevices(page)
  await greenRoomOf(page, roomName)
  await page.getByLabel('Your name').fill('Ada')
  await previewShows(page)
  expect(await running()).toBe(2)
  await button(page, 'Turn camera off').click()
  await button(page, 'Turn microphone off').click()
  await button(page, 'Join now').click()
  await button(page, 'Turn camera on').waitFor()
  await picturePlays(page)
  expect(await running()).toBe(0)
  await button(page, 'Turn camera on').click()
  await button(page, 'Turn microphone on').click()
  await button(page, 'Turn microphone off').waitFor()
  await eventually('both devices run', running, (count) => count === 2)
  const own = page.locator('video.-scale-x-100')
  await eventually(
    'the own camera shows',
    () => widthOf(own),
    (width) => width > 0,
  )
  await button(page, 'Leave the room').click()
  await button(page, 'Join again').waitFor()
  await eventually('both devices are released', running, (count) => count === 0)
})

test('a reload takes the same seat again', async () => {
  const roomName = deployment.roomName()
  const page = await visitor()
  await join(page, roomName, 'Ada')
  await page.reload()
  await button(page, 'Leave the room').waitFor()
  await picturePlays(page)
  const [session] = await deployment.rest.sessionsOf(roomName)
  const members = await deployment.rest.members(session?.id ?? '')
  expect(members.map(({ name, leave_time }) => ({ name, leave_time }))).toEqual([
    { name: 'Ada', leave_time: null },
  ])
})

test('a guest comes by invitation and can be removed, and is told so', async () => {
  const roomName = deployment.roomName()
  const host = await visitor()
  await join(host, roomName, 'Ada')
  await button(host, 'Show people').click()
  await button(host, 'Invite somebody').click()
  await host.getByLabel('Their name').fill('Grace Höpper')
  await button(host, 'Make link').click()
  const link = await host.getByLabel('Invitation link').inputValue()
  await host.keyboard.press('Escape')

  const guest = await visitor()
  await guest.goto(link)
  await guest.getByText('The others will see you as Grace Höpper.').waitFor()
  await button(guest, 'Turn microphone off').click()
  await button(guest, 'Join now').click()
  await button(guest, 'Turn microphone on').waitFor()
  expect(await button(guest, 'Start recording').count()).toBe(0)
  await people(host).filter({ hasText: 'Grace' }).getByLabel('microphone off').waitFor()

  await button(host, 'More about Grace Höpper').click()
  await host.getByRole('menuitem', { name: 'Remove from the room' }).click()
  await guest.getByRole('heading', { name: 'A moderator removed you' }).waitFor()
})

test('who cannot come in is told why', async () => {
  const full = deployment.roomName()
  await deployment.rest.createRoom({ name: full, max_members: 1 })
  const early = deployment.roomName()
  await deployment.rest.createRoom({ name: early, join_from: new Date(Date.now() + 3_600_000).toISOString() })
  const [inside, outside] = [await visitor(), await visitor()]
  await join(inside, full, 'Ada')
  await greenRoomOf(outside, full)
  await outside.getByLabel('Your name').fill('Grace')
  await button(outside, 'Join now').click()
  await outside.getByRole('alert').filter({ hasText: 'The room is full' }).waitFor()
  await greenRoomOf(outside, early)
  await button(outside, 'Join now').click()
  await outside.getByRole('alert').filter({ hasText: 'The room is not open yet' }).waitFor()
})

test('without camera and microphone one can still watch and listen', async () => {
  const roomName = deployment.roomName()
  const page = await visitor({ withoutDevices: true })
  await greenRoomOf(page, roomName)
  await page.getByText('No camera was found').waitFor()
  await page.getByLabel('Your name').fill('Ada')
  await button(page, 'Join to watch and listen').click()
  await button(page, 'Leave the room').waitFor()
  await picturePlays(page)
  // The client looks for loudspeakers. Without a permission the browser refuses that, which does no harm.
  const harmless = complaints.filter((text) => text.includes('createDeviceWatcher'))
  for (const one of harmless) complaints.splice(complaints.indexOf(one), 1)
})

test('the deleted room ends the meeting, and the page says so', async () => {
  const roomName = deployment.roomName()
  const room = await deployment.rest.createRoom({ name: roomName })
  const page = await visitor()
  await join(page, roomName, 'Ada')
  await deployment.rest.send('DELETE', `/rooms/${room.id}`)
  await page.getByRole('heading', { name: 'The meeting has ended' }).waitFor()
})

test('nothing failed inside the pages, and they asked nobody but the server', () => {
  expect(complaints).toEqual([])
})
