import { readFile } from 'node:fs/promises'
import jsqr from 'jsqr'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { administer } from '../testing/administration.ts'
import { makeConference } from '../testing/conference.ts'
import { faultsOf } from '../testing/looks.ts'
import { button, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'dashboard-rooms' })
const { complaints, visitor } = usePageVisitors(deployment, 'dashboard-rooms')

/** A title that tries to get out of wherever it is put. */
const HOSTILE = `"Ada" </script><b>; , \\ \u202Egnp`

async function openScreen(path: string): Promise<Page> {
  const page = await visitor()
  await page.goto(signInLink(deployment))
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.goto(`${deployment.access.baseUrl}/dashboard/${path}`)
  return page
}
const read = async (path: string) => (await deployment.rest.send<Record<string, unknown>>('GET', path)).body
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const idOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? ''

test('a conference is made with all its fields, changed, duplicated, found and deleted', async () => {
  const page = await openScreen('conferences')
  await page.getByRole('link', { name: 'New conference' }).first().click()
  const name = deployment.roomName()
  await field(page, 'Name in addresses').fill(name)
  await field(page, 'Title').fill(HOSTILE)
  await field(page, 'Description').fill('Line 1\nLine 2')
  await field(page, 'Size').selectOption('small')
  await field(page, 'Height of the picture').selectOption('1080p')
  await field(page, 'Layout').selectOption('3x3')
  await field(page, 'Opens').fill('2035-01-31T10:30')
  await field(page, 'People can join until').fill('2035-01-31T09:30')
  await field(page, 'Everybody leaves at').fill('2035-01-31T13:00')
  const switches = await page.getByRole('switch').all()
  for (const one of switches) await one.click()
  await field(page, 'Your own data (JSON)').fill('{"customer":')
  await field(page, 'Buttons, light').fill('#FFE600')
  await page.getByText('Buttons, light: hard to read').waitFor()
  await field(page, 'Background, dark').fill('#101820')
  await button(page, 'Create').click()
  await page.getByText('This cannot be read').waitFor()
  await field(page, 'Your own data (JSON)').fill('{"customer": 42}')
  await button(page, 'Create').click()
  // The server knows that it would be over before it opens.
  await page.getByText('Correct the marked fields').waitFor()
  await field(page, 'People can join until').fill('2035-01-31T12:00')
  await button(page, 'Create').click()
  await page.getByRole('heading', { name: '"Ada"' }).waitFor()
  const id = idOf(page)
  const made = await read(`/conferences/${id}`)
  const local = (time: string) =>
    page.evaluate((text) => new Date(text).toISOString().replace('.000', ''), time)
  expect(made).toMatchObject({
    name,
    display_name: HOSTILE,
    description: 'Line 1\nLine 2',
    ...{ size: 'small', quality: '1080p', layout: '3x3', meta: { customer: 42 } },
    ...{ light_primary: '#FFE600', dark_background: '#101820', light_background: '#FFFFFF' },
    ...{
      enable_chat: false,
      record_on_start: true,
      public_look: true,
      waiting_room: true,
      name_labels: true,
    },
    join_from: await local('2035-01-31T10:30'),
    join_until: await local('2035-01-31T12:00'),
    remove_at: await local('2035-01-31T13:00'),
  })
  // All fields that requests take are in the form.
  expect(switches.length).toBe(Object.values(made).filter((value) => typeof value === 'boolean').length)

  // Both themes are beside each other, with what the page corrects.
  const shown = (theme: string, property: string) =>
    page
      .getByTestId(`preview-${theme}`)
      .evaluate((box, name) => getComputedStyle(box).getPropertyValue(name), property)
  expect(await shown('dark', 'background-color')).toBe('rgb(16, 24, 32)')
  expect(await shown('light', 'background-color')).not.toBe('rgb(16, 24, 32)')
  expect((await shown('light', '--color-accent')).toLowerCase()).not.toBe('#ffe600')

  // What others change meanwhile stays, and is told.
  await deployment.rest.send('PUT', `/conferences/${id}`, { display_name: HOSTILE, size: 'large' })
  await page.getByText('Somebody changed this meanwhile').waitFor()
  await field(page, 'Description').fill('Line 3')
  await button(page, 'Save').click()
  await page.getByText('Saved', { exact: true }).waitFor()
  expect(await read(`/conferences/${id}`)).toMatchObject({
    description: 'Line 3',
    size: 'large',
    meta: { customer: 42 },
  })

  await page.getByRole('link', { name: 'Duplicate' }).click()
  await expect.poll(() => field(page, 'Name in addresses').inputValue()).toBe(`${name}-copy`)
  await field(page, 'Title').fill('The copy')
  await button(page, 'Create').click()
  await page.getByRole('heading', { name: 'The copy' }).waitFor()
  expect(await read(`/conferences/${idOf(page)}`)).toMatchObject({
    size: 'large',
    dark_background: '#101820',
  })

  await page.goto(`${deployment.access.baseUrl}/dashboard/conferences?search=the%20CO`)
  await page.getByRole('link', { name: 'The copy' }).waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  await button(page, 'More for The copy').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Nothing begins like this').waitFor()
  await page.getByLabel('Name or title begins with').fill(name)
  await page.getByRole('link', { name: '"Ada"' }).click()

  // Somebody else deletes it while it is being changed.
  await field(page, 'Description').fill('Too late')
  await deployment.rest.send('DELETE', `/conferences/${id}`)
  await button(page, 'Save').click()
  await page.getByRole('alert').first().waitFor()
  expect(complaints).toEqual([])
})

test('links, code, date and QR code lead to the page of the conference; a new link voids the old one', async () => {
  const { id, name, guest } = await makeConference(deployment, {
    display_name: HOSTILE,
    join_from: '2020-01-31T09:30:00Z',
  })
  const page = await openScreen(`conferences/${id}`)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const code = await page.getByTestId('embed-code').textContent()
  const token = guest.url.split('#')[1]
  expect(code?.split('\n')).toEqual([
    `<script src="${deployment.access.baseUrl}/embed.js"></script>`,
    `<parley-conference token="${token}">`,
    '</parley-conference>',
  ])
  await button(page, 'Copy link: For guests').click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(guest.url)

  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Calendar file').click()])
  expect(download.suggestedFilename()).toBe(`${name}.ics`)
  const file = await readFile(await download.path(), 'utf8')
  const lines = file.replace(/\r\n[ \t]/g, '').split('\r\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'DTSTART:20200131T093000Z',
      `UID:${id}@${new URL(guest.url).host}`,
      String.raw`SUMMARY:"Ada" </script><b>\; \, \\ gnp`,
    ]),
  )
  expect(file).toContain('VERSION:2.0')
  expect(lines.filter((line) => line.startsWith('BEGIN:'))).toEqual(['BEGIN:VCALENDAR', 'BEGIN:VEVENT'])

  await button(page, 'QR code: For guests').click()
  const picture = page.getByRole('dialog').getByRole('img')
  // A scanner sees what is drawn: eight pixels for each module.
  const { pixels, side } = await picture.evaluate((svg) => {
    const canvas = document.createElement('canvas')
    canvas.width = (svg as SVGSVGElement).viewBox.baseVal.width * 8
    canvas.height = canvas.width
    const context = canvas.getContext('2d')!
    context.fillStyle = '#fff'
    context.fillRect(0, 0, canvas.width, canvas.width)
    context.scale(8, 8)
    context.fillStyle = '#000'
    context.fill(new Path2D(svg.querySelector('path')?.getAttribute('d') ?? ''))
    return { pixels: [...context.getImageData(0, 0, canvas.width, canvas.width).data], side: canvas.width }
  })
  expect(jsqr.default(new Uint8ClampedArray(pixels), side, side)?.data).toBe(guest.url)
  await button(page, 'Close').click()

  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    button(page, 'Open link: For guests').click(),
  ])
  await opened.getByRole('heading', { name: '"Ada"' }).waitFor()
  await button(page, 'Make a new link: For guests').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Make a new link' }).click()
  await page.getByText('There is a new link').waitFor()
  await expect.poll(() => page.getByTestId('embed-code').textContent()).not.toContain(token)
  await opened.reload()
  await opened
    .getByText('This link does not work')
    .or(opened.getByRole('heading', { name: /link/i }))
    .first()
    .waitFor()
  expect(complaints).toEqual([])
})

test('nobody is kept from using the screens of rooms and conferences', async () => {
  const { id } = await makeConference(deployment, { display_name: 'Town hall', light_primary: '#FFE600' })
  const page = await openScreen('conferences')
  await page.getByRole('link', { name: 'Town hall' }).first().waitFor()
  expect(await faultsOf(page, 'conferences')).toEqual([])
  await page.goto(`${deployment.access.baseUrl}/dashboard/conferences/${id}`)
  await page.getByTestId('embed-code').waitFor()
  expect(await faultsOf(page, 'conference')).toEqual([])
  await page.goto(`${deployment.access.baseUrl}/dashboard/rooms/new`)
  await field(page, 'Title').waitFor()
  expect(await faultsOf(page, 'new-room')).toEqual([])
  expect(complaints).toEqual([])
})

test('whoever may only look sees no links, and why', async () => {
  const { id } = await makeConference(deployment)
  const link = await administer(deployment.server, 'users', 'add', 'vera', '--role', 'viewer')
  const page = await visitor()
  await page.goto(`${deployment.access.baseUrl}${new URL(link).pathname}${new URL(link).hash}`)
  await page.getByLabel('New password').fill('correct horse battery staple 7')
  await button(page, 'Set password and sign in').click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto(`${deployment.access.baseUrl}/dashboard/conferences/${id}`)
  await page.getByText('You may not see the links').waitFor()
  expect(await page.getByRole('main').textContent()).not.toContain('vpt_')
  expect(asked.filter((path) => path.includes('token'))).toEqual([])
  for (const name of ['Save', 'Delete', 'Duplicate']) expect(await button(page, name).count(), name).toBe(0)
  const status = await page.evaluate(
    async (path) => (await fetch(path)).status,
    `/api/video/conferences/${id}/conference_tokens`,
  )
  expect(status).toBe(403)
  expect(complaints).toEqual([])
})
