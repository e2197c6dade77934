import path from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach } from 'vitest'
import { type BrowserOptions, launchBrowser } from './browser.ts'
import { eventually } from './eventually.ts'
import { RESULTS_DIR } from './server-process.ts'
import { type Deployment, RED } from './use-deployment.ts'

interface VisitorOptions {
  withoutDevices?: boolean
  /** The language and country of the browser. */
  locale?: string
  /** In CSS pixels. */
  viewport?: { width: number; height: number }
}

/** People who use the page that the server itself serves. */
export interface PageVisitors {
  /** Errors inside the pages, and requests that the pages sent to other servers. */
  readonly complaints: string[]
  /** Opens the page on a device that has never seen it. */
  visitor(options?: VisitorOptions): Promise<Page>
  /** Follows the sign-in link that the server prints, and opens the green room of a room. */
  greenRoomOf(page: Page, roomName: string): Promise<void>
  /** Joins from the green room, with camera and microphone on. */
  join(page: Page, roomName: string, name: string): Promise<void>
}

/**
 * Opens pages for the tests of a file, and closes them after each test. A test that fails leaves screenshots.
 * @param name of the suite; screenshots are named after it
 * @param devices of the people who have some
 */
export function usePageVisitors(
  deployment: Deployment,
  name: string,
  devices: () => Promise<BrowserOptions> = async () => ({}),
): PageVisitors {
  const browsers: Record<string, Browser> = {}
  const complaints: string[] = []
  let pages: Page[] = []

  afterEach(async ({ task }) => {
    const open = pages
    pages = []
    // The failed test has told them. Another try begins anew.
    if (task.result?.state === 'fail') complaints.length = 0
    for (const [index, page] of open.entries()) {
      const file = `${name}-${task.name.replace(/\W+/g, '-')}-${index}.png`
      if (task.result?.state === 'fail') await page.screenshot({ path: path.join(RESULTS_DIR, file) })
      await leave(page)
      await page.context().close()
    }
  })
  afterAll(async () => {
    await Promise.all(Object.values(browsers).map((browser) => browser.close()))
  })

  async function visitor(options: VisitorOptions = {}): Promise<Page> {
    const { withoutDevices = false, locale = 'en-GB', viewport = { width: 1280, height: 800 } } = options
    const kind = withoutDevices ? 'without devices' : 'usual'
    browsers[kind] ??= await launchBrowser(RED, { ...(await devices()), withoutDevices, whole: true })
    const context = await browsers[kind].newContext({
      ignoreHTTPSErrors: true,
      viewport,
      locale,
    })
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.addInitScript(nameRejections)
    page.on('console', (line) => {
      if (line.text().startsWith(REJECTION)) complaints.push(line.text())
    })
    page.on('request', (request) => {
      // What the page made itself has its own origin behind `blob:`.
      const url = request.url().replace(/^blob:/, '')
      if (!url.startsWith(deployment.access.baseUrl)) complaints.push(`asked for ${request.url()}`)
    })
    pages.push(page)
    return page
  }

  async function greenRoomOf(page: Page, roomName: string): Promise<void> {
    // In a tab that is signed in already, a sign-in link does not change the open page.
    if (!page.url().startsWith(deployment.access.baseUrl)) {
      await page.goto(signInLink(deployment))
      await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
    }
    await page.goto(`${deployment.access.baseUrl}/rooms/${roomName}/join`)
    await button(page, /^Join/).waitFor()
  }

  async function join(page: Page, roomName: string, userName: string): Promise<void> {
    await greenRoomOf(page, roomName)
    await page.getByLabel('Your name').fill(userName)
    await previewShows(page)
    await button(page, 'Join now').click()
    await button(page, 'Leave the room').waitFor()
  }

  return { complaints, visitor, greenRoomOf, join }
}

const REJECTION = 'Nobody handled: '

/** Runs in the page. The name of an error says nothing when a promise is rejected with a plain object, as those of the SDK are. */
function nameRejections(): void {
  addEventListener('unhandledrejection', ({ reason }) => {
    if (!(reason instanceof Error)) console.debug(`Nobody handled: ${JSON.stringify(reason)}`)
  })
}

/** Leaves the room, if the page is in one. Else the server composes the picture of the room until the seats expire. */
async function leave(page: Page): Promise<void> {
  const leaveRoom = button(page, 'Leave the room')
  if (!(await leaveRoom.isVisible().catch(() => false))) return
  // A dialogue may cover the button.
  await leaveRoom.dispatchEvent('click')
  await leaveRoom.waitFor({ state: 'detached', timeout: 2000 }).catch(() => {})
}

/** The link that the server prints at its first start. */
export function signInLink({ access }: Deployment): string {
  const { baseUrl, projectId, apiToken } = access
  return `${baseUrl}/#${new URLSearchParams({ project: projectId, token: apiToken })}`
}

/** A button of a page, by its accessible name. */
export const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name })

/** The entries of the list of people. */
export const people = (page: Page): Locator =>
  page.getByRole('list', { name: 'People in the room' }).getByRole('listitem')

/** Width of the picture that a video element shows, 0 while there is none. */
export const widthOf = (video: Locator): Promise<number> =>
  video.evaluate((element) => (element as HTMLVideoElement).videoWidth)

/** Waits for a picture of the own camera in the green room. */
export async function previewShows(page: Page): Promise<void> {
  const preview = page.getByLabel('Preview of your camera')
  await eventually(
    'the preview has a picture',
    () => widthOf(preview),
    (width) => width > 0,
  )
}

/** Frames of the composed picture that the page has shown so far. 0 while there is no video. */
async function composedFrames(page: Page): Promise<number> {
  const composed = page.locator('.mcuContent video')
  return (await composed.count()) === 0
    ? 0
    : composed.evaluate((element) => (element as HTMLVideoElement).getVideoPlaybackQuality().totalVideoFrames)
}

/** Waits until the composed picture moves. */
export async function picturePlays(page: Page): Promise<void> {
  const before = await composedFrames(page)
  await eventually(
    'the picture moves',
    () => composedFrames(page),
    (frames) => frames > before + 5,
  )
}
