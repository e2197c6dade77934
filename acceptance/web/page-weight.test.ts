import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { button, picturePlays, previewShows, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

/** What a guest may have to wait for before Join: bodies as they come over the network, in bytes. */
const MAX_BYTES = 120_000
/** "Slow 4G" of Chromium and Lighthouse, in bytes per second and milliseconds. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}
const FIRST_PAINT_MAX_MS = 1_000
const JOIN_READY_MAX_MS = 3_000

const deployment = useDeployment({ name: 'page-weight' })
const { complaints, visitor } = usePageVisitors(deployment, 'page-weight')

/** The link of an invitation that has no name in it. */
async function invitation(): Promise<string> {
  const roomName = deployment.roomName()
  await deployment.rest.createRoom({ name: roomName })
  const token = await deployment.rest.createRoomToken({ room_name: roomName })
  return `${deployment.access.baseUrl}/join#${token}`
}

/** The link of a conference for guests. */
async function conference(): Promise<string> {
  const name = deployment.roomName()
  const { body } = await deployment.rest.send('POST', '/conferences', { name, display_name: 'Standup' })
  const { id } = body as { id: string }
  const answer = await deployment.rest.send('GET', `/conferences/${id}/conference_tokens`)
  const { data } = answer.body as { data: { scopes: string[]; url: string }[] }
  const guests = data.toSorted((one, other) => one.scopes.length - other.scopes.length)[0]
  if (guests === undefined) throw new Error('The conference has no tokens.')
  return guests.url
}

const join = (page: Page) => button(page, 'Join now')

/** Opens the green room on a device that has never seen it. */
async function greenRoom(page: Page, link?: string): Promise<void> {
  await page.goto(link ?? (await invitation()))
  await join(page).waitFor()
}

async function joinAsGrace(page: Page): Promise<void> {
  await previewShows(page)
  await page.getByLabel('Your name').fill('Grace')
  await join(page).click()
}

/** A page that is never idle: it loads what the green room needs, and nothing ahead. */
const neverIdle = (page: Page) => page.addInitScript(() => (window.requestIdleCallback = () => 0))

interface Loaded {
  file: string
  /** In bytes: of the body as it came, and of what it became. */
  came: number
  became: number
}

/** Everything that the page has loaded, the document first. */
async function loaded(page: Page): Promise<Loaded[]> {
  await page.waitForLoadState('networkidle')
  return page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(
      (entry) => {
        const { name, encodedBodySize, decodedBodySize } = entry as PerformanceResourceTiming
        return { file: new URL(name).pathname, came: encodedBodySize, became: decodedBodySize }
      },
    ),
  )
}

const weightOf = (files: readonly Loaded[]) => files.reduce((sum, { came }) => sum + came, 0)

function tell(what: string, files: readonly Loaded[]): void {
  const lines = files.map(
    ({ file, came, became }) => `  ${String(came).padStart(7)} of ${String(became).padStart(7)}  ${file}`,
  )
  process.stdout.write(`${what}: ${(weightOf(files) / 1000).toFixed(1)} kB\n${lines.join('\n')}\n`)
}

/** The same files for a client that takes gzip only. */
async function asGzip(page: Page, files: readonly Loaded[]): Promise<Loaded[]> {
  const get = async (one: Loaded): Promise<Loaded> => {
    const headers = { 'accept-encoding': 'gzip' }
    const answer = await page.request.get(deployment.access.baseUrl + one.file, { headers })
    return { ...one, came: Number(answer.headers()['content-length']) }
  }
  return Promise.all(files.map(get))
}

test.each([
  ['invitation', invitation],
  ['conference', conference],
] as const)('a guest of a %s needs at most 120 kB before Join', async (kind, linkOf) => {
  const page = await visitor()
  await neverIdle(page)
  await greenRoom(page, await linkOf())
  await page.evaluate(() => document.fonts.ready)
  const files = await loaded(page)
  tell(`A guest of a ${kind} before Join`, files)
  const gzipped = await asGzip(page, files)
  tell('The same with gzip', gzipped)
  expect(files.some(({ file }) => file.endsWith('.woff2'))).toBe(true)
  expect(gzipped.every(({ came }) => came > 0)).toBe(true)
  expect(weightOf(files)).toBeLessThan(weightOf(gzipped))
  expect(weightOf(gzipped)).toBeLessThanOrEqual(MAX_BYTES)

  await joinAsGrace(page)
  await picturePlays(page)
  expect(complaints).toEqual([])
})

test('the code of the meeting comes while the guest types a name', async () => {
  const page = await visitor()
  await greenRoom(page)
  const first = await loaded(page)
  await eventually(
    'the browser client is here',
    () => loaded(page),
    (files) => files.some(({ file }) => file.includes('index.esm')),
  )
  tell('A page that was idle before Join', await loaded(page))
  const before = (await loaded(page)).length
  expect(before).toBeGreaterThanOrEqual(first.length)
  await joinAsGrace(page)
  await picturePlays(page)
  const scripts = (await loaded(page)).slice(before).filter(({ file }) => file.endsWith('.js'))
  expect(scripts).toEqual([])
})

test('code that cannot be loaded is told, and loads at the next try', async () => {
  const page = await visitor()
  await neverIdle(page)
  await greenRoom(page)
  await page.route('**/assets/*.js', (route) => route.abort('internetdisconnected'))
  await joinAsGrace(page)
  await page.getByText('The page could not load all of its parts').waitFor()
  await page.unroute('**/assets/*.js')
  await join(page).click()
  await picturePlays(page)
})

test('on slow 4G a guest sees the page within 1 s, and can join within 3 s', async () => {
  const link = await invitation()
  const page = await visitor()
  await page.addInitScript(() => {
    const isReady = () =>
      [...document.querySelectorAll('button')].some((one) => /^Join/.test(one.textContent))
    const watch = new MutationObserver(() => {
      if (!isReady()) return
      watch.disconnect()
      performance.mark('join-ready')
    })
    watch.observe(document, { childList: true, subtree: true })
  })
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Network.emulateNetworkConditions', SLOW_4G)
  await greenRoom(page, link)
  const { painted, ready } = await page.evaluate(() => ({
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.POSITIVE_INFINITY,
    ready: performance.getEntriesByName('join-ready')[0]?.startTime ?? Number.POSITIVE_INFINITY,
  }))
  process.stdout.write(`On slow 4G: first paint ${painted.toFixed()} ms, Join ready ${ready.toFixed()} ms\n`)
  expect(painted).toBeLessThan(FIRST_PAINT_MAX_MS)
  expect(ready).toBeLessThan(JOIN_READY_MAX_MS)
})
