import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { faultsOf } from '../testing/looks.ts'
import { signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { GREEN, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'dashboard-screens', env: { PARLEY_SESSION_GRACE_SECONDS: '0' } })
const { complaints, visitor } = usePageVisitors(deployment, 'dashboard-screens')

/** More elements than any screen has before the one that is wanted. */
const TABS_MAX = 60

/** Addresses and headings of the screens that have no suite of their own. */
const SCREENS = [
  ['', 'Overview'],
  ['/sessions', 'Sessions'],
  ['/api-tokens', 'API tokens'],
  ['/users', 'Users'],
  ['/audit-log', 'Audit log'],
  ['/account', 'Your account'],
] as const

test('nobody is kept from using the dashboard', async () => {
  const room_name = deployment.roomName()
  const member = await deployment.enter(GREEN, { room_name, user_name: 'Ada' })
  const [session] = await deployment.rest.sessionsOf(room_name)
  await member.leave()
  const page = await visitor()
  await page.goto(signInLink(deployment))
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  for (const [path, heading] of SCREENS) {
    await page.goto(`${deployment.access.baseUrl}/dashboard${path}`)
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    expect(await faultsOf(page, `dashboard${path.replace('/', '-')}`), heading).toEqual([])
  }
  await page.goto(`${deployment.access.baseUrl}/dashboard/sessions/${session?.id}`)
  await page.getByRole('button', { name: /Ada left/ }).waitFor()
  expect(await faultsOf(page, 'dashboard-session'), 'a session').toEqual([])
  expect(complaints).toEqual([])
})

/** Presses Tab until an element has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  const hasFocus = () => wanted.evaluate((element) => element === document.activeElement)
  for (let pressed = 0; pressed < TABS_MAX; pressed++) {
    if (await hasFocus()) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${TABS_MAX} times Tab did not lead to ${wanted}`)
}

test('nor who has no mouse', async () => {
  const page = await visitor()
  await page.goto(signInLink(deployment))
  await tabTo(page, page.getByRole('link', { name: 'Dashboard', exact: true }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await tabTo(page, page.getByRole('link', { name: 'Rooms', exact: true }))
  await page.keyboard.press('Enter')
  await tabTo(
    page,
    page
      .getByRole('link', { name: 'New room' })
      .or(page.getByRole('button', { name: 'New room' }))
      .first(),
  )
  await page.keyboard.press('Enter')
  const name = deployment.roomName()
  await tabTo(page, page.getByRole('textbox', { name: /^Name/ }).first())
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toContain(name)
  await tabTo(page, page.getByRole('link', { name: 'Sessions', exact: true }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByLabel('State'))
  await page.keyboard.press('End')
  await expect.poll(() => new URL(page.url()).search).toContain('=')
  expect(complaints).toEqual([])
})

test('nor in a language that is written from right to left', async () => {
  const page = await visitor({ locale: 'ar' })
  await page.goto(signInLink(deployment))
  await page.getByRole('navigation').first().waitFor()
  for (const path of ['', '/sessions', '/users', '/audit-log']) {
    await page.goto(`${deployment.access.baseUrl}/dashboard${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('link', { name: 'سجل التدقيق' }).first().waitFor({ state: 'attached' })
    expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl')
    expect(await faultsOf(page, `arabic${path.replace('/', '-')}`), path).toEqual([])
  }
  expect(complaints).toEqual([])
})
