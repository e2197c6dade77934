import type { Locator, Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { button, people, picturePlays, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'room-controls', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
const { complaints, visitor, join } = usePageVisitors(deployment, 'room-controls')

const phone = { width: 390, height: 844 }

/** The width and height of a tile's place over the picture, in percent of the picture. */
async function tileOf(page: Page, name: string): Promise<{ width: number; height: number } | null> {
  return page.evaluate((title) => {
    const label = [...document.querySelectorAll('main [aria-hidden] span')].find((one) =>
      one.textContent?.startsWith(title),
    )
    const tile = label?.closest<HTMLElement>('[style*="left"]')
    return tile
      ? { width: Number.parseFloat(tile.style.width), height: Number.parseFloat(tile.style.height) }
      : null
  }, name)
}

const item = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('menuitem', { name }).or(page.getByRole('menuitemcheckbox', { name }))

/** Chooses from a menu of the page. */
async function choose(page: Page, menu: string, entry: string | RegExp): Promise<void> {
  await button(page, menu).click()
  await item(page, entry).click()
}

/** Whether an entry of a menu is checked. */
async function isChecked(page: Page, menu: string, entry: string): Promise<boolean> {
  await button(page, menu).click()
  const checked = await item(page, entry).getAttribute('aria-checked')
  await page.keyboard.press('Escape')
  await item(page, entry).waitFor({ state: 'detached' })
  return checked === 'true'
}

async function meetingOf(...names: [string, string]): Promise<[Page, Page]> {
  const roomName = deployment.roomName()
  await deployment.rest.createRoom({ name: roomName })
  const pages: [Page, Page] = [await visitor(), await visitor()]
  await join(pages[0], roomName, names[0])
  await join(pages[1], roomName, names[1])
  return pages
}

test('a recording is paused and goes on, and the clock stands still meanwhile', async () => {
  const roomName = deployment.roomName()
  const ada = await visitor()
  await join(ada, roomName, 'Ada')
  await picturePlays(ada)
  await button(ada, 'Start recording').click()
  const clock = ada.getByRole('timer')
  const reads = async () => (await clock.textContent()) ?? ''
  await eventually('two seconds are recorded', reads, (text) => text >= '0:02')
  await button(ada, 'Pause recording').click()
  await ada.getByText('Recording paused').waitFor()
  const paused = await reads()
  await button(ada, 'Resume recording').click()
  await button(ada, 'Pause recording').waitFor()
  expect(await reads()).toBe(paused)
  await eventually('the clock goes on', reads, (text) => text > paused)
  await button(ada, 'Stop recording').click()
  await clock.waitFor({ state: 'detached' })
})

test('a layout is chosen by its drawing, with the keyboard alone', async () => {
  const [ada, grace] = await meetingOf('Ada', 'Grace')
  await button(ada, 'Show layouts').focus()
  await ada.keyboard.press('Enter')
  const layouts = ada.getByRole('toolbar', { name: 'Layouts' })
  const grid = layouts.getByRole('button', { name: 'Grid', exact: true })
  await eventually(
    'the present layout is pressed',
    () => grid.getAttribute('aria-pressed'),
    (pressed) => pressed === 'true',
  )
  await grid.focus()
  // The focus follows a key a little later. A key before that starts from the same place.
  for (const name of ['Grid for phones', 'One large', 'Only one', 'Side by side', '2 × 2']) {
    await ada.keyboard.press('ArrowRight')
    await layouts.getByRole('button', { name, exact: true }).and(ada.locator(':focus')).waitFor()
  }
  await ada.keyboard.press('Enter')
  const two = layouts.getByRole('button', { name: '2 × 2' })
  await eventually(
    'the new layout is pressed',
    () => two.getAttribute('aria-pressed'),
    (pressed) => pressed === 'true',
  )
  expect(await grid.getAttribute('aria-pressed')).toBe('false')
  await eventually(
    'the other sees a quarter',
    () => tileOf(grace, 'Ada'),
    (tile) => tile?.width === 50 && tile.height === 50,
  )
  await ada.keyboard.press('Escape')
  await layouts.waitFor({ state: 'detached' })
  expect(await ada.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Show layouts')
})

test('a member is pinned, shown on the full screen, and moved back', async () => {
  const [ada, grace] = await meetingOf('Ada', 'Grace')
  await button(ada, 'Show people').click()
  const menu = 'More about Grace'
  await choose(ada, menu, 'Pin')
  await people(ada).filter({ hasText: 'Grace' }).getByLabel('pinned').waitFor()
  const large = (tile: { width: number } | null) => (tile?.width ?? 0) > 60
  await eventually('Grace is large', () => tileOf(ada, 'Grace'), large)
  await choose(ada, menu, 'Full screen')
  await eventually(
    'Grace fills the picture',
    () => tileOf(grace, 'Grace'),
    (tile) => tile?.width === 100,
  )
  expect(await isChecked(ada, menu, 'Full screen')).toBe(true)
  expect(await isChecked(ada, menu, 'Pin')).toBe(false)
  await choose(ada, menu, 'Not in the picture')
  await eventually(
    'Grace is not in the picture',
    () => tileOf(ada, 'Grace'),
    (tile) => tile === null,
  )
  await choose(ada, menu, 'Not in the picture')
  await eventually(
    'Grace is back',
    () => tileOf(ada, 'Grace'),
    (tile) => tile !== null,
  )
})

test('hands are shown in the order in which they were raised, and a moderator lowers them', async () => {
  const [ada, grace] = await meetingOf('Ada', 'Grace')
  await button(ada, 'Show people').click()
  const row = (name: string) => people(ada).filter({ hasText: name })
  await button(grace, 'Raise your hand').click()
  await row('Grace').getByLabel('hand raised, number 1').waitFor()
  await button(ada, 'Raise your hand').click()
  await row('Ada').getByLabel('hand raised, number 2').waitFor()
  expect(await people(ada).first().textContent()).toContain('Grace')
  expect(await button(grace, 'Raise your hand').getAttribute('aria-pressed')).toBe('true')
  await choose(ada, 'More about Grace', 'Lower the hand')
  await row('Ada').getByLabel('hand raised, number 1').waitFor()
  await eventually(
    'her button is no longer pressed',
    () => button(grace, 'Raise your hand').getAttribute('aria-pressed'),
    (pressed) => pressed === 'false',
  )
})

test('who has no camera on is hidden, raised hands come first, and the room is locked', async () => {
  const [ada, grace] = await meetingOf('Ada', 'Grace')
  const menu = 'More about the room'
  await button(grace, 'Turn camera off').click()
  await choose(ada, menu, 'Hide people without camera')
  await eventually(
    'Ada has all of the picture',
    () => tileOf(grace, 'Ada'),
    (tile) => tile?.width === 100,
  )
  expect(await isChecked(ada, menu, 'Hide people without camera')).toBe(true)
  expect(await isChecked(grace, menu, 'Hide people without camera')).toBe(true)
  await choose(grace, menu, 'Hide people without camera')
  await eventually(
    'both are in the picture',
    () => tileOf(grace, 'Ada'),
    (tile) => tile?.width === 50,
  )
  await choose(ada, menu, 'Show raised hands first')
  await eventually(
    'it is checked',
    () => isChecked(grace, menu, 'Show raised hands first'),
    (checked) => checked,
  )
  await choose(ada, menu, 'Lock the room')
  await grace.getByLabel('The room is locked').waitFor()
  await choose(grace, menu, 'Lock the room')
  await ada.getByLabel('The room is locked').waitFor({ state: 'detached' })
})

test('an invitation to watch uses no devices, and a moderator lets the viewer take part and watch again', async () => {
  const roomName = deployment.roomName()
  const ada = await visitor()
  await join(ada, roomName, 'Ada')
  await button(ada, 'Show people').click()
  await button(ada, 'Invite somebody').click()
  await ada.getByLabel('Their name').fill('Grace')
  await ada.getByRole('radio', { name: 'Watch only' }).click()
  await button(ada, 'Make link').click()
  const link = await ada.getByLabel('Invitation link').inputValue()
  await ada.keyboard.press('Escape')

  const grace = await visitor()
  await grace.goto(link)
  await button(grace, 'Join to watch and listen').click()
  await grace.getByText('You are watching').waitFor()
  await picturePlays(grace)
  expect(await button(grace, /^Turn (microphone|camera)/).count()).toBe(0)
  expect(await people(ada).count()).toBe(1)

  await button(ada, 'Let Grace take part').click()
  await button(grace, 'Turn microphone on').waitFor()
  await people(ada).filter({ hasText: 'Grace' }).waitFor()
  await button(grace, 'Turn camera on').click()
  await eventually(
    'Grace is in the picture',
    () => tileOf(ada, 'Grace'),
    (tile) => tile !== null,
  )

  await choose(ada, 'More about Grace', 'Move to the audience')
  await grace.getByText('You are watching').waitFor()
  await people(ada).filter({ hasText: 'Grace' }).waitFor({ state: 'detached' })
  await button(ada, 'Let Grace take part').waitFor()
  await grace.getByText('1 person').waitFor()
  await picturePlays(grace)
})

test('a link that cannot be played is told, and a wrong one is not sent', async () => {
  const roomName = deployment.roomName()
  const ada = await visitor()
  await join(ada, roomName, 'Ada')
  await choose(ada, 'More about the room', 'Play a link')
  await button(ada, 'Play for everybody').click()
  await ada.getByText('Enter the link of a video').waitFor()
  await ada.getByLabel('Link to play').fill('https://127.0.0.1:9/film.mp4')
  await ada.keyboard.press('Enter')
  await ada.getByText('The link does not play').first().waitFor()
  expect(await ada.getByLabel('Link to play').inputValue()).toBe('https://127.0.0.1:9/film.mp4')
})

async function everyControlFits(page: Page, size: { width: number; height: number }): Promise<void> {
  const controls = page.getByRole('group', { name: 'Meeting controls' }).getByRole('button')
  // In one step: while the page arranges itself anew, a control may go, and nobody waits for its return.
  const boxes = await controls.evaluateAll((all) =>
    all.map((control) => control.getBoundingClientRect().toJSON() as DOMRect),
  )
  expect(boxes.length).toBeGreaterThan(0)
  for (const box of boxes) {
    expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0)
    expect(box.x + box.width).toBeLessThanOrEqual(size.width)
    expect(box.y + box.height).toBeLessThanOrEqual(size.height)
    expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(36)
  }
}

test('everything is there on a phone, and nothing is cut off', async () => {
  const roomName = deployment.roomName()
  const ada = await visitor()
  await join(ada, roomName, 'Ada')
  for (const size of [phone, { width: phone.height, height: phone.width }]) {
    await ada.setViewportSize(size)
    // The page arranges its controls anew.
    await vi.waitFor(() => everyControlFits(ada, size), 5000)
    expect(await ada.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(size.width)
  }
  await ada.setViewportSize(phone)
  await choose(ada, 'More about the room', 'Change the layout')
  await ada.getByRole('toolbar', { name: 'Layouts' }).waitFor()
  await ada.keyboard.press('Escape')
  await choose(ada, 'More about the room', 'Start recording')
  await button(ada, 'Pause recording').waitFor()
})

test('a guest has no controls of moderators', async () => {
  const roomName = deployment.roomName()
  const token = await deployment.rest.createRoomToken({ room_name: roomName, user_name: 'Grace' })
  const grace = await visitor()
  await grace.goto(`${deployment.access.baseUrl}/join#${token}`)
  await button(grace, 'Join now').click()
  await button(grace, 'Leave the room').waitFor()
  const controls = grace.getByRole('group', { name: 'Meeting controls' })
  const labels = await controls.getByRole('button').evaluateAll((all) => all.map((one) => one.ariaLabel))
  expect(labels.filter((label) => /layout|record|hand/i.test(label ?? ''))).toEqual([])
  await button(grace, 'More about the room').click()
  const items = await grace.getByRole('menuitem').allTextContents()
  expect(items.filter((item) => /lock|hands|hide|play|stream/i.test(item))).toEqual([])
  expect(items).toContain('Language')
  await grace.keyboard.press('Escape')
  await button(grace, 'Show people').click()
  expect(await button(grace, /^More about Grace/).count()).toBe(0)
})

test('nothing failed inside the pages, and they asked nobody but the server', () => {
  expect(complaints).toEqual([])
})
