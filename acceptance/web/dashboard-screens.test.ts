import { expect, test } from 'vitest'
import { faultsOf } from '../testing/looks.ts'
import { signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { GREEN, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'dashboard-screens', env: { PARLEY_SESSION_GRACE_SECONDS: '0' } })
const { complaints, visitor } = usePageVisitors(deployment, 'dashboard-screens')

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
