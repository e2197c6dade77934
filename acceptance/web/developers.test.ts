import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { faultsOf } from '../testing/looks.ts'
import { button, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'developers' })
const { complaints, visitor } = usePageVisitors(deployment, 'developers')

async function signedIn(screen: string): Promise<Page> {
  const page = await visitor()
  await page.goto(signInLink(deployment))
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  await page.goto(`${deployment.access.baseUrl}/dashboard/${screen}`)
  return page
}

test('requests of others are in the log as they come, and filters are in the address', async () => {
  const page = await signedIn('requests')
  await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor()
  const rows = page.getByRole('main').getByRole('listitem')
  await rows.first().waitFor()
  const name = deployment.roomName()
  await deployment.rest.send('GET', '/rooms?token=s3cret&page_size=1')
  await rows.filter({ hasText: 'token=***&page_size=1' }).waitFor()
  expect(await page.content()).not.toContain('s3cret')
  await page.getByLabel('Status', { exact: true }).selectOption('4xx')
  await deployment.rest.send('GET', `/rooms/${name}`)
  await rows.filter({ hasText: name }).getByText('does_not_exist').waitFor()
  await page.getByLabel('Text', { exact: true }).fill(name.toUpperCase())
  await expect.poll(() => rows.count()).toBe(1)
  await page.reload()
  await rows.filter({ hasText: name }).waitFor()
  expect(page.url()).toContain('status=4xx')
  expect(await faultsOf(page, 'requests')).toEqual([])
  expect(complaints).toEqual([])
})

test('the console sends a request, asks before a deletion, and shows each as a command', async () => {
  const page = await signedIn('console?operation=createRoom')
  const name = deployment.roomName()
  const body = page.getByLabel('Body (JSON)')
  expect(await body.inputValue()).toContain('"standup"')
  await body.fill(JSON.stringify({ name }))
  await button(page, 'Send').click()
  const answer = page.getByRole('region', { name: 'Answer' })
  await answer
    .getByText('200', { exact: true })
    .or(answer.getByText('201', { exact: true }))
    .first()
    .waitFor()
  const { id } = JSON.parse((await answer.locator('pre').textContent()) ?? '')
  const command = page.getByRole('region', { name: 'As a command' }).locator('pre')
  expect(await command.textContent()).toContain(`-d '{"name":"${name}"}'`)
  expect(await command.textContent()).not.toContain(deployment.access.apiToken)
  expect(await faultsOf(page, 'console')).toEqual([])

  await page.getByLabel('Operation').selectOption('deleteRoom')
  await page.getByLabel('id', { exact: true }).fill(id)
  await button(page, 'Send').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep it' }).click()
  expect((await deployment.rest.send('GET', `/rooms/${id}`)).status).toBe(200)
  await button(page, 'Send').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Send' }).click()
  await answer.getByText('204', { exact: true }).waitFor()
  expect((await deployment.rest.send('GET', `/rooms/${id}`)).status).toBe(404)

  // What the page did is there to copy, whichever button did it.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await button(page, 'Requests of this page').click()
  const drawer = page.getByRole('dialog')
  await expect.poll(() => drawer.getByRole('listitem').count()).toBe(2)
  await drawer.getByRole('button', { name: 'Copy as curl' }).first().click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toBe(
    `curl -X DELETE -u "${deployment.access.projectId}:$PARLEY_TOKEN" '${deployment.access.baseUrl}/api/video/rooms/${id}'`,
  )
  expect(await faultsOf(page, 'page-requests')).toEqual([])
  expect(complaints).toEqual([])
})
