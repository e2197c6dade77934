import { createServer, type Server, type Socket } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { administer } from '../testing/administration.ts'
import { button, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

/**
 * Opens links that somebody else made in a real browser. The attack is on the person, and the server sees none of it.
 */
const deployment = useDeployment({ name: 'hostile-links' })
const { complaints, visitor, join } = usePageVisitors(deployment, 'hostile-links')

/** The attacker's server. It counts connections. */
let listener: Server
const callers: Socket[] = []
const listenerHost = () => `localhost:${(listener.address() as { port: number }).port}`

beforeAll(async () => {
  listener = createServer((socket) => {
    callers.push(socket)
    socket.destroy()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
})
afterAll(() => listener.close())

const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
const invitationTo = (ch: string) =>
  [part({ typ: 'VRT', alg: 'HS512', ch }), part({ r: 'board', u: 'Grace' }), 'c2ln'].join('.')

/** Counts how often the page asks for a camera or microphone. Call it before the page loads. */
async function countCaptures(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const counter = window as unknown as { captures: number }
    counter.captures = 0
    // An empty page has no media devices.
    const mediaDevices = navigator.mediaDevices as MediaDevices | undefined
    if (!mediaDevices) return
    const open = mediaDevices.getUserMedia.bind(mediaDevices)
    mediaDevices.getUserMedia = (constraints) => {
      counter.captures++
      return open(constraints)
    }
  })
  return () => page.evaluate(() => (window as unknown as { captures: number }).captures)
}

test('an invitation to another server is refused before any device is opened', async () => {
  const page = await visitor()
  const captures = await countCaptures(page)
  for (const ch of [
    listenerHost(),
    `wss://${listenerHost()}/relay`,
    `${new URL(deployment.access.baseUrl).host}@${listenerHost()}`,
  ]) {
    await page.goto('about:blank')
    await page.goto(`${deployment.access.baseUrl}/join#${invitationTo(ch)}`)
    await page.getByText('This invitation is for another server').waitFor()
    await page.getByText(`It leads to ${listenerHost()}`).waitFor()
    expect(await captures()).toBe(0)
  }
  expect(callers).toHaveLength(0)
})

test('the policy of the page lets no script reach another server', async () => {
  const page = await visitor()
  await page.goto(deployment.access.baseUrl)
  await page.getByLabel('Project id').waitFor()
  const outcome = await page.evaluate(
    (host) =>
      new Promise<string>((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective))
        new WebSocket(`wss://${host}`).addEventListener('error', () =>
          // A policy violation would have been reported by then.
          requestAnimationFrame(() => requestAnimationFrame(() => resolve('no violation'))),
        )
      }),
    listenerHost(),
  )
  expect(outcome).toBe('connect-src')
  expect(callers).toHaveLength(0)
})

/** A link to a project that is not the person's own. */
async function strangersLink(): Promise<string> {
  const { server } = deployment
  await administer(server, 'projects', 'create', '--id', 'strangers', '--name', 'Strangers')
  const printed = await administer(server, 'tokens', 'create', '--project', 'strangers', '--scopes', 'video')
  const token = /\b(PT[\w-]+)/.exec(printed)?.[1] ?? printed.split(/\s+/).at(-1) ?? ''
  return new URLSearchParams({ project: 'strangers', token }).toString()
}

test('a link does not sign in over somebody without asking, and asks in the middle of a meeting too', async () => {
  const link = await strangersLink()
  const page = await visitor()
  await join(page, deployment.roomName(), 'Ada')
  const address = page.url()
  await page.evaluate((fragment) => window.location.assign(`#${fragment}`), link)
  await page.getByRole('alertdialog', { name: 'Sign in to the project “Strangers”?' }).waitFor()
  expect(page.url()).toBe(address)
  await button(page, 'Stay in “First project”').click()
  expect(await button(page, 'Leave the room').count()).toBe(1)

  // The same link, now opened while the page loads.
  await page.goto('about:blank')
  await page.goto(signInLink(deployment))
  await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  await page.goto('about:blank')
  await page.goto(`${deployment.access.baseUrl}/#${link}`)
  await page.getByRole('alertdialog', { name: 'Sign in to the project “Strangers”?' }).waitFor()
  expect(page.url()).toBe(`${deployment.access.baseUrl}/`)
  await button(page, 'Stay in “First project”').click()
  await page.getByText('First project', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('First project', { exact: true }).waitFor()

  await page.evaluate((fragment) => window.location.assign(`#${fragment}`), link)
  await button(page, 'Sign in to “Strangers”').click()
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await page.getByText('Strangers', { exact: true }).waitFor()
  expect(page.url()).not.toContain('token')
  await page.reload()
  await page.getByText('Strangers', { exact: true }).waitFor()
})

test('a link with a wrong token changes nothing', async () => {
  const page = await visitor()
  await page.goto(signInLink(deployment))
  await page.getByText('First project', { exact: true }).waitFor()
  await page.evaluate(() => window.location.assign('#project=nobody&token=wrong'))
  await page.getByRole('alert').filter({ hasText: 'is wrong' }).waitFor()
  await button(page, 'Stay in “First project”').click()
  await page.getByText('First project', { exact: true }).waitFor()
})

test('nothing failed inside the pages, and they asked nobody but the server', () => {
  expect(complaints).toEqual([])
})
