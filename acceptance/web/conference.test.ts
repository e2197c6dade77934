import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { accessibilityFaults } from '../testing/axe.ts'
import { button, people, picturePlays, previewShows, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'conference' })
const { complaints, visitor } = usePageVisitors(deployment, 'conference')

interface Token {
  id: string
  name: 'moderator' | 'guest'
  url: string
}
let moderator: Token
let guest: Token
let id: string

async function makeConference(settings: object = {}): Promise<void> {
  const body = { name: deployment.roomName(), display_name: 'Town hall', ...settings }
  const made = await deployment.rest.send<{ id: string }>('POST', '/conferences', body)
  expect(made.status).toBe(200)
  id = made.body.id
  const tokens = await deployment.rest.send<{ data: Token[] }>('GET', `/conferences/${id}/conference_tokens`)
  moderator = tokens.body.data.find(({ name }) => name === 'moderator')!
  guest = tokens.body.data.find(({ name }) => name === 'guest')!
}
beforeEach(() => makeConference())

async function joinBy({ url }: Token, name: string): Promise<Page> {
  const page = await visitor()
  await page.goto(url)
  await page.getByLabel('Your name').fill(name)
  await previewShows(page)
  await button(page, 'Join now').click()
  await button(page, 'Leave the room').waitFor()
  return page
}

/** A colour of the page as the browser shows it. */
const shown = (page: Page, variable: string): Promise<string> =>
  page.evaluate((name) => {
    const probe = document.createElement('i')
    probe.style.color = `var(${name})`
    document.body.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }, variable)

test('the links of moderator and guest ask for a name and let in, each as far as it says', async () => {
  const host = await joinBy(moderator, 'Ada')
  const visiting = await joinBy(guest, 'Grace Höpper')
  await picturePlays(visiting)
  await button(host, 'Show people').click()
  await people(host).filter({ hasText: 'Grace Höpper' }).waitFor()
  await people(host).filter({ hasText: 'Ada' }).waitFor()
  expect(await accessibilityFaults(host)).toEqual([])
  expect(await button(host, 'Start recording').count()).toBe(1)
  expect(await button(visiting, 'Start recording').count()).toBe(0)
  expect(visiting.url()).toBe(guest.url)
  await visiting.reload()
  await button(visiting, 'Leave the room').waitFor()
  await expect.poll(() => people(host).allTextContents()).toHaveLength(2)
  await people(host).filter({ hasText: 'Grace Höpper' }).waitFor()
  expect(complaints).toEqual([])
})

test('it has the colours of the conference, corrected where they could not be read', async () => {
  await makeConference({
    light_primary: '#0B6E4F',
    dark_primary: '#FFE600',
    dark_background: '#101820',
    dark_foreground: '#202830',
  })
  const page = await visitor()
  await page.goto(guest.url)
  await button(page, 'Join now').waitFor()
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await shown(page, '--color-accent')).toBe('rgb(11, 110, 79)')
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await shown(page, '--color-canvas')).toBe('rgb(16, 24, 32)')
  expect(await shown(page, '--color-accent')).toBe('rgb(255, 230, 0)')
  // Nearly black on black.
  expect(await shown(page, '--color-ink')).not.toBe('rgb(32, 40, 48)')
})

describe('a conference that cannot be joined now says why, and lets in once it can:', () => {
  test('before it opens, with a countdown', async () => {
    await makeConference({
      join_from: new Date(Date.now() + 6000).toISOString(),
      description: 'Once a quarter.',
    })
    const page = await visitor()
    await page.goto(guest.url)
    await page.getByRole('heading', { name: 'Town hall' }).waitFor()
    await page.getByText('This conference is not open yet').waitFor()
    await page.getByText('Once a quarter.').waitFor()
    expect(await page.getByRole('timer').textContent()).toMatch(/^00:0[0-6]$/)
    await button(page, 'Join now').waitFor()
  })

  test('after it was over', async () => {
    const join_until = new Date(Date.now() - 60_000).toISOString()
    await makeConference({ join_from: '2020-01-01T00:00:00Z', join_until })
    const page = await visitor()
    await page.goto(guest.url)
    await page.getByText('The time to join is over').waitFor()
    expect(await button(page, 'Join now').count()).toBe(0)
  })

  test('while it is locked', async () => {
    const host = await joinBy(moderator, 'Ada')
    await button(host, 'More').click()
    await host
      .getByRole('menuitem', { name: /Lock/ })
      .or(host.getByRole('menuitemcheckbox', { name: /Lock/ }))
      .click()
    const page = await visitor()
    await page.goto(guest.url)
    await page.getByText('The conference is locked').waitFor()
    await button(host, 'Leave the room').click()
    await button(page, 'Join now').waitFor({ timeout: 30_000 })
  })
})

test('those who wait are seen by moderators, who let them in or refuse', async () => {
  await makeConference({ waiting_room: true })
  const host = await joinBy(moderator, 'Ada')
  const knock = async (name: string) => {
    const page = await visitor()
    await page.goto(guest.url)
    await page.getByLabel('Your name').fill(name)
    await previewShows(page)
    await button(page, 'Join now').click()
    await page.getByText('Wait until somebody lets you in').waitFor()
    return page
  }
  const grace = await knock('Grace')
  expect(await accessibilityFaults(grace)).toEqual([])
  const eve = await knock('Eve')
  await host.getByText('Eve wants to come in').waitFor()
  expect(await accessibilityFaults(host)).toEqual([])
  await button(host, 'Refuse Eve').click()
  await eve.getByText('You were not let in').waitFor()
  await button(host, 'Let in Grace').click()
  await button(grace, 'Leave the room').waitFor()
  await picturePlays(grace)
  expect(await host.getByText('wants to come in').count()).toBe(0)
  // Whoever was let in need not knock again.
  await grace.reload()
  await button(grace, 'Leave the room').waitFor()
  expect(await host.getByText('wants to come in').count()).toBe(0)
})

test('a link that was replaced is not valid any more, and tells nothing of the conference', async () => {
  await deployment.rest.send('POST', `/conference_tokens/${guest.id}/reset`)
  const page = await visitor()
  await page.goto(guest.url)
  await page.getByText('This link is not valid any more').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await page.content()).not.toContain('Town hall')
})

test('an address without its code asks for the whole link, whether there is such a conference or not', async () => {
  const page = await visitor()
  for (const address of [guest.url.replace(/#.*/, ''), `${deployment.access.baseUrl}/c/no-such-conference`]) {
    await page.goto(address)
    await page.getByRole('heading', { name: 'Part of the link is missing' }).waitFor()
  }
  await page.getByLabel('Link').fill('https://example.org/')
  await button(page, 'Go on').click()
  await page.getByText('This is not the whole link').waitFor()
  await page.getByLabel('Link').fill(` ${guest.url} `)
  await button(page, 'Go on').click()
  await page.getByLabel('Your name').waitFor()
})
