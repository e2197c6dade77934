import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { accessibilityFaults } from '../testing/axe.ts'
import { makeConference, useConferenceGuests } from '../testing/conference.ts'
import { button, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'chat-page' })
const visitors = usePageVisitors(deployment, 'chat-page')
const { join } = useConferenceGuests(visitors)

const messages = (page: Page) => page.getByRole('log', { name: 'Messages' }).getByRole('listitem')
const field = (page: Page) => page.getByRole('textbox', { name: 'Write a message' })
async function write(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await page.keyboard.press('Enter')
}

/** Lets a test cut the sockets of a page, and keep it from the server for a while. */
async function withTunnel(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const sockets: WebSocket[] = []
    const tunnel = {
      isIn: false,
      enter: () => {
        for (const socket of sockets.splice(0)) socket.close()
      },
    }
    const Usual = window.WebSocket
    class CutSocket extends Usual {
      constructor(url: string | URL) {
        super(tunnel.isIn ? `wss://${window.location.host}/tunnel` : url)
        sockets.push(this)
      }
    }
    Object.assign(window, { tunnel, WebSocket: CutSocket })
  })
}
const inTunnel = (page: Page, isIn: boolean) =>
  page.evaluate((value) => {
    const { tunnel } = window as unknown as { tunnel: { isIn: boolean; enter(): void } }
    tunnel.isIn = value
    if (value) tunnel.enter()
  }, isIn)

test('two people write to each other, and who comes later reads it all', async () => {
  const { moderator, guest, name } = await makeConference(deployment)
  const ada = await join(moderator, 'Ada')
  await ada.keyboard.press('c')
  await button(ada, 'Hide chat').waitFor()
  // What is written here does not act as a shortcut.
  await ada.keyboard.type('vmh')
  await expect.poll(() => field(ada).inputValue()).toBe('vmh')
  await button(ada, 'Turn camera off').waitFor()
  await write(ada, 'The plan: https://example.org/plan. <b>Bold</b>')
  await messages(ada).filter({ hasText: 'The plan' }).waitFor()

  const grace = await join(guest, 'Grace', withTunnel)
  await messages(ada).filter({ hasText: 'Grace joined' }).waitFor()
  await button(grace, /^Show chat$/).click()
  const link = messages(grace).filter({ hasText: '<b>Bold</b>' }).getByRole('link')
  expect(await link.getAttribute('href')).toBe('https://example.org/plan')
  expect(await link.getAttribute('rel')).toContain('noopener')
  await write(grace, 'Seen')
  await messages(ada).filter({ hasText: 'Seen' }).waitFor()
  expect(await accessibilityFaults(ada)).toEqual([])

  await button(grace, 'Hide chat').click()
  await write(ada, 'And more')
  await grace.getByRole('status').filter({ hasText: 'Ada writes: And more' }).waitFor()
  await button(grace, 'Show chat, 1 unread message').click()
  await button(grace, 'Hide chat').waitFor()
  const { body } = await deployment.rest.send<{ data: object[] }>(
    'GET',
    '/api/messaging/messages?page_size=2',
  )
  expect(body.data).toMatchObject([
    { from: 'Ada', to: name, body: 'And more' },
    { from: 'Grace', to: name, body: 'Seen' },
  ])

  // Both write while one of them is cut off.
  await inTunnel(grace, true)
  await grace.getByText('The chat is not connected').waitFor()
  await write(grace, 'from the tunnel')
  await write(ada, 'Are you there?')
  await inTunnel(grace, false)
  await messages(ada).filter({ hasText: 'from the tunnel' }).waitFor()
  await messages(grace).filter({ hasText: 'Are you there?' }).waitFor()
  await expect.poll(() => messages(grace).filter({ hasText: 'Sending' }).count()).toBe(0)
  for (const page of [ada, grace]) {
    for (const text of ['The plan', 'Seen', 'And more', 'from the tunnel', 'Are you there?'])
      expect(await messages(page).filter({ hasText: text }).count(), text).toBe(1)
  }
})

test('a reaction is seen by everybody, for a while', async () => {
  const { moderator, guest } = await makeConference(deployment)
  const ada = await join(moderator, 'Ada')
  const grace = await join(guest, 'Grace')
  await button(grace, 'React').click()
  await grace.getByRole('menuitem', { name: 'applause' }).click()
  await ada.getByText('👏').waitFor()
  await ada.getByRole('status').filter({ hasText: 'Grace: applause' }).waitFor()
  expect(await accessibilityFaults(ada)).toEqual([])
  await ada.getByText('👏').waitFor({ state: 'detached' })
})

test('a conference without chat shows none', async () => {
  const { guest } = await makeConference(deployment, { enable_chat: false })
  const page = await join(guest, 'Grace')
  await button(page, 'Show people').waitFor()
  await button(page, 'Show chat').waitFor({ state: 'detached' })
})
