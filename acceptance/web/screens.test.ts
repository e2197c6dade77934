import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { accessibilityFaults } from '../testing/axe.ts'
import { button, picturePlays, previewShows, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'screens', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
const { complaints, visitor, greenRoomOf, join } = usePageVisitors(deployment, 'screens')

/** A phone upright and sideways, a tablet and a desktop, each with the theme in which it is looked at. */
const LOOKS = [
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 844, height: 390, colorScheme: 'light' },
  { width: 1024, height: 768, colorScheme: 'dark' },
  { width: 1920, height: 1080, colorScheme: 'light' },
] as const

/** What is wrong with a screen: faults of accessibility, and what is wider than the screen. */
async function faultsOf(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const { width, height, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    const faults = await accessibilityFaults(page)
    const widest = await page.evaluate(() => document.documentElement.scrollWidth)
    if (widest > width) faults.push(`the page is ${widest} pixels wide`)
    found.push(...faults.map((fault) => `${width}x${height}, ${colorScheme}: ${fault}`))
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  return found
}

test('nobody is kept from using a screen, before one joins', async () => {
  const { baseUrl } = deployment.access
  const page = await visitor()
  await page.goto(baseUrl)
  await page.getByLabel('API token').waitFor()
  expect(await faultsOf(page), 'sign-in').toEqual([])
  await page.goto(`${baseUrl}/nothing/here`)
  await page.getByRole('heading').first().waitFor()
  expect(await faultsOf(page), 'unknown address').toEqual([])
  await deployment.rest.send('POST', '/rooms', { name: deployment.roomName(), display_name: 'Design review' })
  await page.goto(signInLink(deployment))
  await page.getByRole('link', { name: /Design review/ }).click()
  expect(await faultsOf(page), 'lobby').toEqual([])
  await greenRoomOf(page, deployment.roomName())
  await previewShows(page)
  expect(await faultsOf(page), 'green room').toEqual([])
  expect(complaints).toEqual([])
})

test('nobody is kept from using a meeting', async () => {
  const page = await visitor()
  await join(page, deployment.roomName(), 'Ada')
  await picturePlays(page)
  expect(await faultsOf(page), 'meeting').toEqual([])
  for (const panel of ['people', 'layouts']) {
    await button(page, `Show ${panel}`).click()
    expect(await faultsOf(page), panel).toEqual([])
    await button(page, `Hide ${panel}`).click()
  }
  await button(page, 'Leave the room').click()
  await page.getByRole('heading', { name: /left/ }).waitFor()
  expect(await faultsOf(page), 'after leaving').toEqual([])
  expect(complaints).toEqual([])
})
