import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { administer } from '../testing/administration.ts'
import { accessibilityFaults } from '../testing/axe.ts'
import { button, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'accounts' })
const { complaints, visitor } = usePageVisitors(deployment, 'accounts')
const at = (address: string) => `${deployment.access.baseUrl}${address}`

const PASSWORD = 'grey otters juggle lemons'

async function choosePassword(page: Page, link: string, name?: string): Promise<void> {
  // The command line does not know the port that the system picked.
  const { pathname, hash } = new URL(link)
  await page.goto(at(pathname + hash))
  if (name !== undefined) await page.getByLabel('Name to sign in with').fill(name)
  await page.getByLabel('New password').fill(PASSWORD)
  await button(page, 'Set password and sign in').click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

/** Looks for faults in both looks. With PARLEY_PICTURES, a folder, it leaves a picture of each. */
async function isAccessible(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await accessibilityFaults(page), `${name}, ${colorScheme}`).toEqual([])
    const folder = process.env.ACCOUNT_PICTURES
    if (folder) await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` })
  }
}

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Dashboard' }).first()

test('the way of an owner and a viewer, from the one-time link on', async () => {
  const room = deployment.roomName()
  await deployment.rest.createRoom({ name: room })
  const owner = await visitor()
  const link = await administer(deployment.server, 'users', 'invite', '--owner')
  await owner.goto(at(new URL(link).pathname + new URL(link).hash))
  await owner.getByLabel('Name to sign in with').fill('ada@example.org')
  await isAccessible(owner, 'link')
  await owner.getByLabel('New password').fill('password1234')
  await button(owner, 'Set password and sign in').click()
  await owner.getByText('is easy to guess').waitFor()
  expect(owner.url()).toBe(at('/sign-in'))
  await owner.getByLabel('New password').fill(PASSWORD)
  await button(owner, 'Set password and sign in').click()
  await owner.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(owner.url()).toBe(at('/dashboard'))

  // The session outlives a reload, and no script has its secret.
  await owner.reload()
  await owner.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(await owner.evaluate(() => document.cookie)).toBe('parley-session=1')

  await button(owner, 'Sign out').first().click()
  await owner.goto(at('/sign-in'))
  await owner.getByLabel('Name', { exact: true }).fill('ada@example.org')
  await owner.getByLabel('Password', { exact: true }).fill('not the password')
  await button(owner, 'Sign in').click()
  await owner.getByText('The name or the password is wrong').waitFor()
  await isAccessible(owner, 'sign-in')
  await owner.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await button(owner, 'Sign in').click()
  await owner.getByRole('heading', { name: 'Overview' }).waitFor()

  await navigation(owner).getByRole('link', { name: 'Users' }).click()
  await button(owner, 'Add user').click()
  await owner.getByLabel('Name to sign in with').fill('vera')
  await owner.getByLabel('Role', { exact: true }).selectOption('viewer')
  await owner.getByRole('dialog').getByRole('button', { name: 'Add user' }).click()
  const shown = await owner.getByRole('dialog').locator('code').textContent()
  await isAccessible(owner, 'link shown')
  await owner.keyboard.press('Escape')
  await isAccessible(owner, 'users')
  for (const name of ['API tokens', 'Audit log', 'Your account']) {
    await navigation(owner).getByRole('link', { name }).click()
    await owner.getByRole('heading', { name, level: 1 }).waitFor()
    await owner.getByRole('main').getByRole('listitem').first().waitFor()
    await isAccessible(owner, name)
  }

  const viewer = await visitor()
  await choosePassword(viewer, shown ?? '')
  const screens = await navigation(viewer).getByRole('link').allInnerTexts()
  expect(screens).toContain('Your account')
  for (const hidden of ['Users', 'API tokens', 'Audit log']) expect(screens).not.toContain(hidden)
  await viewer.goto(at('/dashboard/users'))
  await viewer.getByText('Only owners may see this').waitFor()
  await viewer.goto(at(`/rooms/${room}`))
  await viewer.getByRole('heading', { name: room }).waitFor()
  for (const name of ['New room', 'Join room', 'More about this room']) {
    expect(
      await viewer.getByRole('button', { name }).or(viewer.getByRole('link', { name })).count(),
      name,
    ).toBe(0)
  }
  expect(complaints).toEqual([])
})

test('a page of another origin can neither change nor read anything with the session', async () => {
  const owner = await visitor()
  await choosePassword(owner, await administer(deployment.server, 'users', 'invite', '--owner'), 'grace')
  const room = deployment.roomName()
  await owner.route('https://evil.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Evil</title>' }),
  )
  await owner.goto('https://evil.example/')
  const outcomes = await owner.evaluate(
    async ({ base, name }) => {
      const body = JSON.stringify({ name })
      const tell = (sent: Promise<Response>) =>
        sent.then(
          ({ type, status }) => `${type} ${status}`,
          () => 'refused',
        )
      const post = { method: 'POST', credentials: 'include', body } as const
      return [
        await tell(fetch(`${base}/api/video/rooms`, { ...post, mode: 'no-cors' })),
        await tell(
          fetch(`${base}/api/video/rooms`, {
            ...post,
            headers: { 'content-type': 'application/json', 'x-csrf-token': 'x' },
          }),
        ),
        await tell(fetch(`${base}/api/dashboard/me`, { credentials: 'include' })),
        await tell(fetch(`${base}/api/fabric/addresses`, { credentials: 'include' })),
      ]
    },
    { base: deployment.access.baseUrl, name: room },
  )
  expect(outcomes).toEqual(['opaque 0', 'refused', 'refused', 'refused'])
  const answer = await deployment.rest.send('GET', `/rooms/${room}`)
  expect(answer.status).toBe(404)
})
