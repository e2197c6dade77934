import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { accessibilityFaults } from '../testing/axe.ts'
import { makeConference, useConferenceGuests } from '../testing/conference.ts'
import { drawnScreen } from '../testing/drawn-screen.ts'
import { button, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'full-path', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
const visitors = usePageVisitors(deployment, 'full-path')
const { complaints, visitor } = visitors
const { join } = useConferenceGuests(visitors)

/** How soon the dashboard shows what has happened, in milliseconds. */
const SOON_MS = 1000

async function openDashboard(): Promise<Page> {
  const page = await visitor()
  await page.goto(signInLink(deployment))
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  return page
}

/** The figures of what happens now, by their names. */
const figures = (page: Page) =>
  page
    .getByRole('region', { name: 'Now' })
    .locator('dl > div')
    .evaluateAll((all) =>
      Object.fromEntries(
        all.map((one) => [
          one.querySelector('dt')?.textContent,
          Number(one.querySelector('dd')?.textContent),
        ]),
      ),
    )

const messages = (page: Page) => page.getByRole('log', { name: 'Messages' }).getByRole('listitem')

/** How far the player of the recording is, in seconds. */
const playedTo = (page: Page) =>
  page.locator('video').evaluate((video) => (video as HTMLVideoElement).currentTime)

test('a conference made over REST is held by four people, and all of it is on the dashboard within a second', async () => {
  const board = await openDashboard()
  const soon = { timeout: SOON_MS, interval: 50 }
  expect(await figures(board)).toMatchObject({ 'Rooms in use': 0, People: 0, Recordings: 0 })
  expect(await accessibilityFaults(board)).toEqual([])

  const { moderator, guest, name } = await makeConference(deployment, { display_name: 'Board' })
  const ada = await join(moderator, 'Ada')
  await expect.poll(() => figures(board), soon).toMatchObject({ 'Rooms in use': 1, People: 1 })
  const grace = await join(guest, 'Grace')
  const alan = await join(guest, 'Alan', drawnScreen)
  const mary = await join(guest, 'Mary')
  await expect.poll(() => figures(board), soon).toMatchObject({ 'Rooms in use': 1, People: 4 })
  await button(ada, 'Start recording').click()
  await button(ada, 'Stop recording').waitFor()
  await expect.poll(() => figures(board), soon).toMatchObject({ Recordings: 1 })

  await board.getByRole('link', { name: 'Sessions' }).first().click()
  const row = board.getByRole('row').filter({ hasText: name })
  await row.getByText('Live').waitFor()
  await row.getByRole('link').click()
  await button(board, /Mary joined/).waitFor()

  await button(grace, 'Show chat').click()
  await grace.getByRole('textbox', { name: 'Write a message' }).fill('Shall we begin?')
  await grace.keyboard.press('Enter')
  await button(mary, /^Show chat/).click()
  await messages(mary).filter({ hasText: 'Shall we begin?' }).waitFor()
  await button(alan, 'Share your screen').click()
  // It is large by itself.
  await button(mary, 'Show the whole picture').waitFor()
  await button(ada, 'Raise your hand').click()
  await button(alan, 'Stop sharing your screen').click()
  await button(mary, 'Show the whole picture').waitFor({ state: 'detached' })
  await button(ada, 'Show layouts').click()
  await ada.getByRole('toolbar', { name: 'Layouts' }).getByRole('button', { name: '2 × 2' }).click()
  await ada.keyboard.press('Escape')
  await button(ada, 'Pause recording').click()
  await button(ada, 'Resume recording').click()
  await button(mary, 'Leave the room').click()
  await mary.getByRole('heading', { name: /left/ }).waitFor()

  await button(ada, 'Show people').click()
  await button(ada, 'End for everybody').click()
  await ada.getByRole('alertdialog').getByRole('button', { name: 'End for everybody' }).click()
  await button(grace, 'Leave the room').waitFor({ state: 'detached' })
  const endedAt = performance.now()
  for (const event of [
    'Ada joined',
    'Grace joined',
    'Alan joined',
    'Mary joined',
    'A recording began',
    'Alan began to share',
    'Ada raised',
    'Alan stopped sharing',
    'The layout is now',
    'recording was paused',
    'recording went on',
    'Mary left',
    'The session ended',
  ]) {
    await button(board, new RegExp(event, 'i')).first().waitFor()
  }
  expect(performance.now() - endedAt).toBeLessThan(SOON_MS)

  const player = board.locator('video')
  await expect
    .poll(() => player.evaluate((video) => (video as HTMLVideoElement).duration), { timeout: 10_000 })
    .toBeGreaterThan(0.5)
  await button(board, /Mary left/).click()
  expect(await playedTo(board)).toBeGreaterThan(0.5)
  await button(board, /A recording began/).click()
  await player.evaluate((video) => (video as HTMLVideoElement).play())
  await expect.poll(() => playedTo(board), { timeout: 10_000 }).toBeGreaterThan(1)
  expect(await accessibilityFaults(board)).toEqual([])

  await board.getByRole('link', { name: 'All sessions' }).click()
  await expect.poll(() => row.getByRole('cell').nth(3).textContent(), soon).toBe('4')
  await expect.poll(() => row.getByRole('cell').nth(4).textContent(), soon).toBe('1')
  expect(await accessibilityFaults(board)).toEqual([])
  expect(complaints).toEqual([])
})
