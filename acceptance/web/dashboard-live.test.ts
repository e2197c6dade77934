import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { faultsOf } from '../testing/looks.ts'
import { button, picturePlays, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'dashboard-live', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
const { complaints, visitor, join } = usePageVisitors(deployment, 'dashboard-live')

/**
 * How soon the wall shows what has happened, in milliseconds, with browsers of other files beside it. That a second is
 * enough is shown by `full-path.test.ts`.
 */
const SOON = { timeout: 3000, interval: 50 }

async function openWall(): Promise<Page> {
  const page = await visitor()
  await page.goto(signInLink(deployment))
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await page.getByRole('link', { name: 'Live' }).first().click()
  await page.getByText('Nothing runs now').waitFor()
  return page
}

const audit = async () => {
  const { body } = await deployment.rest.send<{ data: { action: string }[] }>(
    'GET',
    '/api/management/audit_entries?page_size=20',
  )
  return body.data.map(({ action }) => action).reverse()
}

test('an operator sees a room as soon as somebody is in it, watches it, and acts on it', async () => {
  const wall = await openWall()
  const name = deployment.roomName()
  await deployment.rest.send('POST', '/rooms', { name, enable_room_previews: true })
  const ada = await visitor()
  await join(ada, name, 'Ada')
  const card = wall.getByRole('listitem').filter({ has: wall.getByRole('link', { name }) })
  await expect.poll(() => card.getByText('Ada', { exact: true }).count(), SOON).toBe(1)
  await expect.poll(() => card.getByLabel(/^Connect(ed|ion)/).count(), { timeout: 5000 }).toBe(1)
  await button(ada, 'Raise your hand').click()
  await expect.poll(() => card.getByLabel('Hand raised').count(), SOON).toBe(1)

  await card.getByRole('link').click()
  await picturePlays(wall)
  await wall.getByText('1 watches').waitFor()
  await button(wall, 'Mute Ada').click()
  await button(ada, 'Turn microphone on').first().waitFor()
  await button(wall, 'Lock').click()
  await button(wall, 'Unlock').waitFor()
  await ada.getByLabel('The room is locked').waitFor()
  await wall.getByLabel('Layout').selectOption('2x2')
  await expect.poll(() => wall.getByLabel('Layout').inputValue(), { timeout: 5000 }).toBe('2x2')
  await wall.getByLabel('Text', { exact: true }).fill('Five minutes left')
  await button(wall, 'Send').click()
  await wall.getByText('Sent as').waitFor()
  await button(ada, /chat/i).first().click()
  await ada.getByText('Five minutes left').waitFor()
  await button(wall, 'Start recording').click()
  await button(wall, 'Stop recording').click()
  await button(wall, 'Start recording').waitFor()
  expect(await faultsOf(wall, 'live-a-room'), 'a room').toEqual([])

  await wall.getByRole('link', { name: 'All running rooms' }).click()
  await wall.getByLabel(`Preview of ${name}`).waitFor({ timeout: 30_000 })
  expect(await faultsOf(wall, 'live-the-wall'), 'the wall').toEqual([])
  await card.getByRole('link').click()
  await button(wall, 'End for everybody').click()
  await wall.getByRole('alertdialog').getByRole('button', { name: 'End for everybody' }).click()
  await wall.getByText('This session has ended').waitFor()
  await ada.getByRole('heading', { name: /ended/ }).waitFor()
  expect((await audit()).filter((action) => action.startsWith('room_session.'))).toEqual(
    ['mute', 'lock', 'layout', 'message', 'record', 'stop_recording', 'end'].map(
      (act) => `room_session.${act}`,
    ),
  )
  expect(complaints).toEqual([])
})
