import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Rgb } from '../page/picture.ts'
import { nameOfColour } from '../testing/colours.ts'
import { drawnScreen } from '../testing/drawn-screen.ts'
import { eventually } from '../testing/eventually.ts'
import { button, picturePlays, usePageVisitors } from '../testing/page-visitors.ts'
import { RESULTS_DIR } from '../testing/server-process.ts'
import { BLUE, GREEN, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'stage', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
const { complaints, visitor, greenRoomOf, join } = usePageVisitors(deployment, 'stage')

const phone = { width: 390, height: 844 }
const sideways = { width: 844, height: 390 }
const desktop = { width: 1280, height: 720 }

/** A part of the composed picture on the page: whose tile it is, and where it is on the screen. */
interface Shown {
  of: string
  x: number
  y: number
  width: number
  height: number
}

/** What of the picture is on the screen, in CSS pixels. */
async function shownParts(page: Page): Promise<readonly Shown[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[data-picture]')].map((part) => {
      const { left, top, right, bottom } = part.getBoundingClientRect()
      const [x, y] = [Math.max(0, left), Math.max(0, top)]
      const width = Math.max(0, Math.min(innerWidth, right) - x)
      return { of: part.dataset.picture ?? '', x, y, width, height: Math.min(innerHeight, bottom) - y }
    }),
  )
}

const areaOf = ({ width, height }: { width: number; height: number }) => width * height

/** How much of the screen is picture, 0 to 1. Prints it. */
async function pictureShare(page: Page, when: string): Promise<number> {
  const size = page.viewportSize() ?? desktop
  const share = (await shownParts(page)).reduce((sum, part) => sum + areaOf(part), 0) / areaOf(size)
  process.stdout.write(
    `picture, ${size.width}x${size.height}, ${when}: ${(share * 100).toFixed(0)} % of the screen\n`,
  )
  return share
}

/** The largest part of the picture. */
async function largest(page: Page): Promise<Shown> {
  const parts = await shownParts(page)
  return parts.reduce((one, other) => (areaOf(other) > areaOf(one) ? other : one))
}

/** The colour at a place of the screen, as a person sees it. */
async function colourAt(page: Page, { x, y }: { x: number; y: number }): Promise<Rgb> {
  const clip = { x: Math.floor(x), y: Math.floor(y), width: 2, height: 2 }
  const png = (await page.screenshot({ clip })).toString('base64')
  return page.evaluate(async (data) => {
    const image = new Image()
    image.src = `data:image/png;base64,${data}`
    await image.decode()
    const context = document.createElement('canvas').getContext('2d')
    context?.drawImage(image, 0, 0)
    const [red = 0, green = 0, blue = 0] = context?.getImageData(0, 0, 1, 1).data ?? []
    return [red, green, blue] as Rgb
  }, png)
}

/** The persona that is seen in the middle of a part of the picture. The label and the moving mark are below. */
const personaIn = async (page: Page, { x, y, width, height }: Shown): Promise<string> =>
  nameOfColour(await colourAt(page, { x: x + width / 2, y: y + height * 0.4 }))

const largestPersona = async (page: Page) => personaIn(page, await largest(page))

const photograph = (page: Page, name: string) =>
  page.screenshot({ path: path.join(RESULTS_DIR, `stage-${name}.png`) })

/** Waits until the stage shows one part of the picture for each of these, and returns the largest's member id. */
async function showsParts(page: Page, count: number): Promise<void> {
  await eventually(
    `${count} parts are shown`,
    () => shownParts(page),
    (parts) => parts.length === count,
  )
}

/** A meeting of a page's visitor (red), Green and Blue. */
async function meeting(size = desktop): Promise<{ page: Page; room_name: string }> {
  const room_name = deployment.roomName()
  await deployment.rest.createRoom({ name: room_name })
  const page = await visitor()
  await page.setViewportSize(size)
  await join(page, room_name, 'Ada')
  await deployment.enter(GREEN, { room_name, user_name: 'Grace Hopper' })
  await deployment.enter(BLUE, { room_name, user_name: 'Blaise Pascal' })
  await picturePlays(page)
  await button(page, 'Show Blaise Pascal large').waitFor()
  return { page, room_name }
}

test('a phone held upright shows one person large and the others in a strip, and sideways the whole picture', async () => {
  const { page } = await meeting(phone)
  await showsParts(page, 3)
  expect(await pictureShare(page, 'three people')).toBeGreaterThanOrEqual(0.6)
  expect(await largestPersona(page)).toBe('Green')
  const [, ...strip] = await shownParts(page)
  expect(await Promise.all(strip.map((part) => personaIn(page, part)))).toEqual(['Red', 'Blue'])
  await photograph(page, 'phone')

  await button(page, 'Show Blaise Pascal large').click()
  await eventually(
    'Blue is large',
    () => largestPersona(page),
    (name) => name === 'Blue',
  )
  await page.setViewportSize(sideways)
  await showsParts(page, 1)
  expect(await personaIn(page, await largest(page))).toBe('Blue')
  await photograph(page, 'sideways-large')
  await page.setViewportSize(phone)
  await showsParts(page, 3)
  expect(await largestPersona(page)).toBe('Blue')

  await page.setViewportSize(sideways)
  await button(page, 'Show the whole picture').click()
  await button(page, 'Show Blaise Pascal large').waitFor()
  const whole = await largest(page)
  expect(whole).toMatchObject({ of: 'whole', height: sideways.height })
  expect(await pictureShare(page, 'three people')).toBeGreaterThanOrEqual(0.75)
  await photograph(page, 'sideways')
})

test('two taps on a tile show it large for oneself, and Escape brings the whole picture back', async () => {
  const { page } = await meeting()
  await showsParts(page, 1)
  await pictureShare(page, 'three people')
  await photograph(page, 'desktop')
  await button(page, 'Show Grace Hopper large').dblclick()
  await eventually(
    'Green is large',
    () => largestPersona(page),
    (name) => name === 'Green',
  )
  const label = page.locator('main [aria-hidden] span').filter({ hasText: 'Grace Hopper' }).first()
  await label.waitFor()
  expect(await page.locator('main [aria-hidden] span').filter({ hasText: 'Blaise' }).count()).toBe(0)
  await photograph(page, 'desktop-large')
  await page.keyboard.press('Escape')
  await button(page, 'Show Grace Hopper large').waitFor()
  expect((await largest(page)).of).toBe('whole')

  await button(page, 'Show Blaise Pascal large').focus()
  await page.keyboard.press('Enter')
  await eventually(
    'Blue is large',
    () => largestPersona(page),
    (name) => name === 'Blue',
  )
  expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Show the whole picture')
  await page.keyboard.press('Enter')
  await button(page, 'Show Blaise Pascal large').waitFor()
  expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true)
})

test('the whole picture is back when the large person leaves', async () => {
  const room_name = deployment.roomName()
  const page = await visitor()
  await join(page, room_name, 'Ada')
  const green = await deployment.enter(GREEN, { room_name, user_name: 'Grace Hopper' })
  await picturePlays(page)
  await button(page, 'Show Grace Hopper large').dblclick()
  await eventually(
    'Green is large',
    () => largestPersona(page),
    (name) => name === 'Green',
  )
  await green.leave()
  await eventually(
    'the whole picture',
    () => largest(page),
    ({ of }) => of === 'whole',
  )
})

test('a shared screen is large at once for everybody, and gives the place back', async () => {
  const room_name = deployment.roomName()
  await deployment.rest.createRoom({ name: room_name })
  const [ada, grace] = [await visitor(), await visitor()]
  await drawnScreen(ada)
  await join(ada, room_name, 'Ada')
  await join(grace, room_name, 'Grace Hopper')
  await deployment.enter(GREEN, { room_name, user_name: 'Green' })
  await picturePlays(grace)
  await button(ada, 'Share your screen').click()
  await button(ada, 'Stop sharing your screen').waitFor()
  const asked = await ada.evaluate(() => {
    const { asked, track } = window as unknown as {
      asked: { video: unknown }
      track: MediaStreamTrack
    }
    return { video: asked.video, hint: track.contentHint }
  })
  expect(asked).toEqual({
    video: { width: { max: 1920 }, height: { max: 1080 }, frameRate: { ideal: 15, max: 15 } },
    hint: 'detail',
  })
  for (const size of [desktop, sideways]) {
    await grace.setViewportSize(size)
    await eventually(
      'the screen is large',
      () => largestPersona(grace),
      (name) => name === 'Violet',
    )
    await pictureShare(grace, 'with a shared screen')
    expect(areaOf(await largest(grace))).toBeGreaterThanOrEqual(0.75 * (await stageArea(grace)))
    await photograph(grace, `share-${size.width}`)
  }
  await grace.setViewportSize(phone)
  await showsParts(grace, 4)
  expect(await personaIn(grace, (await shownParts(grace))[0]!)).toBe('Violet')
  expect(await pictureShare(grace, 'with a shared screen')).toBeGreaterThanOrEqual(0.6)
  const [, ...strip] = await shownParts(grace)
  for (const part of strip)
    await eventually(
      'the strip shows a person',
      () => personaIn(grace, part),
      (name) => ['Red', 'Green'].includes(name),
    )
  await photograph(grace, 'share-phone')
  await grace.setViewportSize(desktop)
  await button(ada, 'Stop sharing your screen').click()
  await button(grace, 'Show the screen of Ada large').waitFor({ state: 'detached' })
  await eventually(
    'the grid is back',
    () => largestPersona(grace),
    (name) => name !== 'Violet',
  )
})

/** The area that the page gives to the picture, in CSS pixels. */
async function stageArea(page: Page): Promise<number> {
  const box = await page.getByRole('main', { name: 'Meeting' }).boundingBox()
  return box ? areaOf(box) : 0
}

test('a small shared screen is shown large for oneself, and the whole picture on wish', async () => {
  const { page, room_name } = await meeting()
  // A guest may not change the layout.
  const token = await deployment.rest.createRoomToken({
    room_name,
    user_name: 'Marie Curie',
  })
  const guest = await visitor()
  await drawnScreen(guest)
  await guest.goto(`${deployment.access.baseUrl}/join#${token}`)
  await button(guest, 'Join now').click()
  await button(guest, 'Share your screen').click()
  await eventually(
    'the screen is large',
    () => largestPersona(page),
    (name) => name === 'Violet',
  )
  expect(areaOf(await largest(page))).toBeGreaterThanOrEqual(0.75 * (await stageArea(page)))
  await photograph(page, 'share-small')
  await page.keyboard.press('Escape')
  await button(page, 'Show the screen of Marie Curie large').waitFor()
  expect((await largest(page)).of).toBe('whole')
  await photograph(page, 'share-small-whole')
  await button(page, 'Show the shared screen large').click()
  await eventually(
    'the screen is large again',
    () => largestPersona(page),
    (name) => name === 'Violet',
  )
})

test('after joining and after a room is created, the keyboard goes on from there', async () => {
  const page = await visitor()
  const focused = () => page.evaluate(() => document.activeElement?.tagName)
  await greenRoomOf(page, 'anything')
  await page.getByRole('link', { name: 'Back' }).click()
  await button(page, 'New room').or(button(page, 'Create the first room')).first().click()
  await page.getByLabel('Room name').fill(`Focus ${deployment.roomName()}`)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await eventually('the new room has the focus', focused, (tag) => tag === 'MAIN')
  await join(page, deployment.roomName(), 'Ada')
  await eventually('the meeting has the focus', focused, (tag) => tag === 'MAIN')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('BUTTON')
})

test('nothing failed inside the pages, and they asked nobody but the server', () => {
  expect(complaints).toEqual([])
})
