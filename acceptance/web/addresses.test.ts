import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { button, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'addresses' })
const { complaints, visitor } = usePageVisitors(deployment, 'addresses')
const at = (address: string) => `${deployment.access.baseUrl}${address}`

async function signIn(page: Page): Promise<void> {
  await page.goto(signInLink(deployment))
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
}

/** Marks the document, so that a later load of the page is noticed. */
async function markDocument(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate(() => Object.assign(window, { isSame: true }))
  return () => page.evaluate(() => 'isSame' in window)
}

test('a typed address shows its room after the sign-in', async () => {
  const { projectId, apiToken } = deployment.access
  const name = deployment.roomName()
  await deployment.rest.createRoom({ name })
  const page = await visitor()
  const answer = await page.goto(at(`/rooms/${name}`))
  expect(answer?.status()).toBe(200)
  await page.getByLabel('Project id').fill(projectId)
  await page.getByLabel('API token').fill(apiToken)
  await button(page, 'Sign in').click()
  await page.getByRole('heading', { name }).waitFor()
  expect(page.url()).toBe(at(`/rooms/${name}`))
  expect(await page.title()).toBe(`${name} · Parley`)
})

test('links inside the page change the address without loading the page, and the back button works', async () => {
  const name = deployment.roomName()
  await deployment.rest.createRoom({ name })
  const page = await visitor()
  await signIn(page)
  const isSame = await markDocument(page)
  await page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name }).click()
  await page.getByRole('link', { name: 'Join room' }).click()
  await button(page, /^Join/).waitFor()
  expect(page.url()).toBe(at(`/rooms/${name}/join`))
  await page.getByRole('link', { name: 'Back' }).click()
  await page.getByRole('link', { name: 'Join room' }).waitFor()
  expect(page.url()).toBe(at(`/rooms/${name}`))
  await page.goBack()
  await button(page, /^Join/).waitFor()
  expect(page.url()).toBe(at(`/rooms/${name}/join`))
  await page.goBack()
  await page.goBack()
  await page.getByText('Pick a room').waitFor()
  expect(page.url()).toBe(at('/'))
  expect(await isSame()).toBe(true)
})

test('links that were sent before there were paths still work, and show the new address', async () => {
  const name = deployment.roomName()
  await deployment.rest.createRoom({ name })
  const token = await deployment.rest.createRoomToken({ room_name: name, user_name: 'Grace' })

  const guest = await visitor()
  await guest.goto(at(`/#/guest/${token}`))
  await guest.getByText('The others will see you as Grace.').waitFor()
  expect(guest.url()).toBe(at(`/join#${token}`))
  await guest.reload()
  await guest.getByText('The others will see you as Grace.').waitFor()

  const member = await visitor()
  await signIn(member)
  const isSame = await markDocument(member)
  // In an open tab, the browser only reports that the fragment has changed.
  await member.evaluate((room) => window.location.assign(`#/rooms/${room}/join`), name)
  await button(member, /^Join/).waitFor()
  expect(member.url()).toBe(at(`/rooms/${name}/join`))
  expect(await isSame()).toBe(true)
  await member.goto('about:blank')
  await member.goto(at(`/#/rooms/${name}`))
  await member.getByRole('link', { name: 'Join room' }).waitFor()
  expect(member.url()).toBe(at(`/rooms/${name}`))
})

test('an invitation is at an address of its own, and says if a part is missing', async () => {
  const token = await deployment.rest.createRoomToken({
    room_name: deployment.roomName(),
    user_name: 'Grace',
  })
  const page = await visitor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const answer = await page.goto(at(`/join#${token}`))
  expect(answer?.status()).toBe(200)
  await page.getByText('The others will see you as Grace.').waitFor()
  expect(asked.filter((url) => url.includes(token) && !url.includes('#'))).toEqual([])
  await page.goto('about:blank')
  await page.goto(at('/join'))
  await page.getByText('This invitation cannot be read').waitFor()
})

test('the printed link signs in from the page of a room too, and leaves no token in the address bar', async () => {
  const name = deployment.roomName()
  const page = await visitor()
  await page.goto(at(`/rooms/${name}`))
  await page.getByLabel('Project id').waitFor()
  await page.goto(signInLink(deployment))
  await page.getByText('Pick a room').or(button(page, 'Create the first room')).first().waitFor()
  expect(page.url()).toBe(at('/'))
  // Pasted as a fragment alone, the view stays open.
  const other = await visitor()
  await other.goto(at(`/rooms/${name}`))
  await other.getByLabel('Project id').waitFor()
  const { hash } = new URL(signInLink(deployment))
  await other.evaluate((fragment) => window.location.assign(fragment), hash)
  await other.getByText(`There is no room “${name}”`).waitFor()
  expect(other.url()).toBe(at(`/rooms/${name}`))
})

test.each(['/nothing-of-the-kind', '/rooms', '/rooms/board/leave', '/rooms/50%', '/rooms//join'])(
  'at %s there is a page that says that nothing is there, and leads back',
  async (address) => {
    const page = await visitor()
    const answer = await page.goto(at(address))
    expect(answer?.status()).toBe(404)
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
    expect(await page.title()).toBe('There is nothing here · Parley')
    await page.getByRole('link', { name: 'Go to the rooms' }).click()
    await page.getByLabel('Project id').waitFor()
    expect(page.url()).toBe(at('/'))
  },
)

test.each(['/', '/rooms/board', '/rooms/board/', '/rooms/board/join', '/join', '/c/board'])(
  'page and server agree that there is something at %s',
  async (address) => {
    const page = await visitor()
    const answer = await page.goto(at(address))
    expect(answer?.status()).toBe(200)
    await page.locator('#root main').waitFor()
    expect(await page.getByText('There is nothing here').count()).toBe(0)
  },
)

test('nothing failed inside the pages, and they asked nobody but the server', () => {
  expect(complaints).toEqual([])
})
