import { expect, test } from 'vitest'
import { faultsOf } from '../testing/looks.ts'
import { button, picturePlays, previewShows, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'screens', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
const { complaints, visitor, greenRoomOf, join } = usePageVisitors(deployment, 'screens')

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
  for (const panel of ['people', 'layouts', 'chat']) {
    await button(page, `Show ${panel}`).click()
    expect(await faultsOf(page), panel).toEqual([])
    await button(page, `Hide ${panel}`).click()
  }
  await button(page, 'Devices: camera, microphone and speaker').click()
  await page.getByRole('menuitem', { name: 'Settings and tests' }).click()
  await page.getByRole('dialog').waitFor()
  expect(await faultsOf(page), 'settings').toEqual([])
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  expect(await faultsOf(page), 'shortcuts').toEqual([])
  await page.keyboard.press('Escape')
  await button(page, 'Leave the room').click()
  await page.getByRole('heading', { name: /left/ }).waitFor()
  expect(await faultsOf(page), 'after leaving').toEqual([])
  expect(complaints).toEqual([])
})
