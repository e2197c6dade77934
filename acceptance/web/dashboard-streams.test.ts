import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../server/src/testing/free-port.ts'
import { RtmpServer } from '../../server/src/testing/media/rtmp-server.ts'
import { faultsOf } from '../testing/looks.ts'
import { button, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { GREEN, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({
  name: 'dashboard-streams',
  env: { PARLEY_ALLOW_PRIVATE_TARGETS: '1', PARLEY_SESSION_GRACE_SECONDS: '1' },
})
const { complaints, visitor } = usePageVisitors(deployment, 'dashboard-streams')

let folder: string
const servers: RtmpServer[] = []
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parley-streams-'))
})
afterAll(async () => {
  for (const server of servers) await server.kill()
  await rm(folder, { recursive: true, force: true })
})

async function serve(port?: number): Promise<RtmpServer> {
  const server = await RtmpServer.start(path.join(folder, `${servers.length}.flv`), port)
  servers.push(server)
  return server
}

async function openStreams(): Promise<Page> {
  const page = await visitor()
  await page.goto(signInLink(deployment))
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await page.getByRole('link', { name: 'Streams' }).first().click()
  await page.getByRole('heading', { name: 'Streams' }).waitFor()
  return page
}

test('a stream is shown while it runs, is lost and comes back, and is stopped and started', async () => {
  const page = await openStreams()
  const name = deployment.roomName()
  const room = await deployment.rest.createRoom({ name })
  const server = await serve()
  const url = `rtmp://127.0.0.1:${server.port}/app/key`
  await deployment.rest.send('POST', `/rooms/${room.id}/streams`, { url })
  const row = page.getByRole('listitem').filter({ hasText: name })
  await row.getByText('Not running').waitFor()
  await row.getByText(`rtmp://127.0.0.1:${server.port}/app/…`).waitFor()
  await deployment.enter(GREEN, { room_name: name })
  await row.getByText('Live', { exact: true }).waitFor()

  await server.kill()
  await row.getByText('Trying again').waitFor()
  await serve(server.port)
  await row.getByText('Reconnected 1 time').waitFor()
  await row.getByText('Live', { exact: true }).waitFor()
  expect(await faultsOf(page, 'streams-streams'), 'streams').toEqual([])

  await row.getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Stop' }).click()
  await row.getByText('Not running').waitFor()
  await page.getByLabel('State').selectOption('live')
  await page.getByText('No stream in this state').waitFor()
  expect(new URL(page.url()).searchParams.get('status')).toBe('live')
  await page.getByLabel('State').selectOption('any')
  await serve(server.port)
  await row.getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Start' }).click()
  await row.getByText('Live', { exact: true }).waitFor()
  await row.getByRole('button').click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No streams yet').waitFor()
  expect(complaints).toEqual([])
})

test('an address is tested with a picture, and one where nobody listens too', async () => {
  const page = await openStreams()
  const server = await serve()
  await button(page, 'Test an address').click()
  const address = page.getByRole('textbox', { name: 'Address' })
  await address.fill('https://example.com')
  await button(page, 'Send the test picture').click()
  await page.getByText('This is no address to stream to.').waitFor()
  await address.fill(`rtmp://127.0.0.1:${server.port}/app/key`)
  await button(page, 'Send the test picture').click()
  await page.getByText('The destination took the picture').waitFor()
  await address.fill(`rtmp://127.0.0.1:${await freePort()}/app/key`)
  await button(page, 'Send the test picture').click()
  await page.getByText('No connection, or the stream was not taken').waitFor()
  expect(await faultsOf(page, 'streams-test-of-an-address'), 'test of an address').toEqual([])
  expect(complaints).toEqual([])
})
