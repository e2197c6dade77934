import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { accessibilityFaults } from '../testing/axe.ts'
import { button, previewShows, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'dashboard', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
const { complaints, visitor } = usePageVisitors(deployment, 'dashboard')

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

async function join(url: string, name: string): Promise<Page> {
  const page = await visitor()
  await page.goto(url)
  await page.getByLabel('Your name').fill(name)
  await previewShows(page)
  await button(page, 'Join now').click()
  await button(page, 'Leave the room').waitFor()
  return page
}

test('a conference made over REST is on the dashboard within a second, and so is its past', async () => {
  const board = await openDashboard()
  expect(await figures(board)).toMatchObject({ 'Rooms in use': 0, People: 0, Recordings: 0 })
  expect(await accessibilityFaults(board)).toEqual([])

  const name = deployment.roomName()
  const { body } = await deployment.rest.send<{ id: string }>('POST', '/conferences', {
    name,
    display_name: 'Board',
  })
  const path = `/conferences/${body.id}/conference_tokens`
  const tokens = await deployment.rest.send<{ data: { name: string; url: string }[] }>('GET', path)
  const urlOf = (role: string) => tokens.body.data.find((token) => token.name === role)?.url ?? ''

  const host = await join(urlOf('moderator'), 'Ada')
  const soon = { timeout: SOON_MS, interval: 50 }
  await expect.poll(() => figures(board), soon).toMatchObject({ 'Rooms in use': 1, People: 1 })
  const guest = await join(urlOf('guest'), 'Grace')
  await expect.poll(() => figures(board), soon).toMatchObject({ 'Rooms in use': 1, People: 2 })
  await button(host, 'Start recording').click()
  await button(host, 'Stop recording').waitFor()
  await expect.poll(() => figures(board), soon).toMatchObject({ Recordings: 1 })

  await board.getByRole('link', { name: 'Sessions' }).first().click()
  const row = board.getByRole('row').filter({ hasText: name })
  await row.getByText('Live').waitFor()
  await button(host, 'Stop recording').click()
  await button(host, 'Start recording').waitFor()
  await button(guest, 'Leave the room').click()
  await button(host, 'Leave the room').click()
  await row.getByText('Live').waitFor({ state: 'detached' })
  await expect.poll(() => row.getByRole('cell').nth(3).textContent(), soon).toBe('2')
  await expect.poll(() => row.getByRole('cell').nth(4).textContent(), soon).toBe('1')
  expect(await accessibilityFaults(board)).toEqual([])

  await row.getByRole('link').click()
  for (const event of [
    'Ada joined',
    'Grace joined',
    'A recording began',
    'Grace left',
    'The session ended',
  ]) {
    await button(board, new RegExp(event)).waitFor()
  }
  const player = board.locator('video')
  await expect
    .poll(() => player.evaluate((video) => (video as HTMLVideoElement).duration), { timeout: 10_000 })
    .toBeGreaterThan(0.5)
  await button(board, /Grace left/).click()
  expect(await accessibilityFaults(board)).toEqual([])
  expect(complaints).toEqual([])
})
