import { request } from 'node:https'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { administer } from '../testing/administration.ts'
import { faultsOf } from '../testing/looks.ts'
import { button, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { GREEN, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({
  name: 'dashboard-server',
  env: { PARLEY_LOG_LEVEL: 'debug', PARLEY_MIN_FREE_MB: '1' },
})
const { complaints, visitor } = usePageVisitors(deployment, 'dashboard-server')
const at = (address: string) => `${deployment.access.baseUrl}${address}`
const region = (page: Page, name: string) => page.getByRole('region', { name })

/** Sends a request whose path a browser would not write as it is. */
function sendRaw(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(at('/'), { path, rejectUnauthorized: false }, (answer) => {
      answer.resume()
      answer.once('end', resolve)
    })
    sent.on('error', reject)
    sent.end()
  })
}

test('the operator reads the log, backs up, and empties the server, without a shell', async () => {
  const page = await visitor()
  await page.goto(signInLink(deployment))
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  await page.goto(at('/dashboard/server'))
  await region(page, 'Version').getByText(process.version).waitFor()

  const log = region(page, 'Log').getByRole('list')
  await log.getByRole('listitem').first().waitFor()
  await sendRaw('/<img/src=x/onerror=alert(1)>%1b[31m')
  await log.getByText('<img/src=x/onerror=alert(1)>%1b[31m').waitFor()
  await deployment.rest.send('GET', '/rooms?signature=s3cret')
  await region(page, 'Log').getByLabel('Level').selectOption('warn')
  await log.getByText('debug', { exact: true }).first().waitFor({ state: 'detached' })
  const content = await page.content()
  for (const secret of [deployment.access.apiToken, 's3cret']) expect(content).not.toContain(secret)

  const options = region(page, 'Configuration')
  await options.getByRole('listitem').filter({ hasText: 'PARLEY_API_TOKEN' }).getByText('(secret)').waitFor()
  await options.getByRole('switch').click()
  await options
    .getByRole('listitem')
    .filter({ hasText: 'PARLEY_MAX_AUDIENCE' })
    .getByText('default')
    .waitFor()
  await options.getByRole('switch').click()

  const backups = region(page, 'Backups')
  await button(page, 'Back up now').click()
  await backups.getByRole('listitem').first().waitFor()

  const drain = region(page, 'Before a restart')
  await drain.getByRole('button', { name: 'Take no new meetings' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Take no new meetings' }).click()
  await drain.getByText('No new meeting begins').waitFor()
  await expect(deployment.enter(GREEN, { room_name: deployment.roomName() })).rejects.toThrow()
  expect(await faultsOf(page, 'server')).toEqual([])
  await drain.getByRole('button', { name: 'Take meetings again' }).click()
  await drain.getByRole('button', { name: 'Take no new meetings' }).waitFor()
  expect(complaints).toEqual([])
})

test('others do not see it', async () => {
  const project = await administer(deployment.server, 'projects', 'create', '--name', 'other')
  const token = await administer(
    deployment.server,
    'tokens',
    'create',
    '--project',
    project,
    '--scopes',
    'all',
  )
  const page = await visitor()
  await page.goto(at(`/#${new URLSearchParams({ project, token })}`))
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  await page.goto(at('/dashboard/server'))
  await page.getByText('Only operators of the server may see this').waitFor()
  expect(complaints).toEqual([])
})
