import { unlink } from 'node:fs/promises'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launchBrowser } from '../testing/browser.ts'
import { PARTICIPANTS } from '../testing/colours.ts'
import { run } from '../testing/commands.ts'
import type { Conference } from '../testing/conference.ts'
import { button, picturePlays, previewShows } from '../testing/page-visitors.ts'
import { cameraOf } from './cameras.ts'
import type { Portrayed } from './people.ts'

const imagesFolder = path.join(import.meta.dirname, '..', '..', 'docs', 'images')

export const DESKTOP = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

/** Where the pictures of the documents are taken: browsers of drawn people, and a camera for their screens. */
export interface Studio {
  /** A page in the browser of a person, whose camera shows that person. */
  pageOf(person: Portrayed, options?: BrowserContextOptions): Promise<Page>
  /** The first person joins as moderator, the others as guests, one after the other. */
  meet(conference: Conference, people: readonly (readonly [Page, Portrayed])[]): Promise<void>
  /** Writes what the page shows to `docs/images/<name>.webp`. */
  picture(page: Page, name: string): Promise<void>
}

/** Opens browsers for the pictures of a file, and closes them at its end. */
export function useStudio(): Studio {
  const browsers = new Map<string, Promise<Browser>>()
  let draughtsman: Browser

  beforeAll(async () => {
    draughtsman = await launchBrowser(PARTICIPANTS[0], { withoutDevices: true })
  })
  afterAll(async () => {
    const open = await Promise.all(browsers.values())
    await Promise.all([draughtsman, ...open].map((browser) => browser.close()))
  })

  async function browserOf(person: Portrayed): Promise<Browser> {
    const cameraFile = await cameraOf(person, draughtsman)
    const persona = PARTICIPANTS[browsers.size % PARTICIPANTS.length]!
    return launchBrowser(persona, { cameraFile, microphone: 'speech', whole: true })
  }

  async function pageOf(person: Portrayed, options: BrowserContextOptions = {}): Promise<Page> {
    const browser = browsers.get(person.name) ?? browserOf(person)
    browsers.set(person.name, browser)
    const context = await (await browser).newContext({
      ignoreHTTPSErrors: true,
      viewport: DESKTOP,
      locale: 'en-GB',
      timezoneId: 'Europe/London',
      colorScheme: 'light',
      ...options,
    })
    await context.addInitScript(nameDevices)
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    return page
  }

  async function join(page: Page, link: string, person: Portrayed): Promise<void> {
    await page.goto(link)
    await page.getByLabel('Your name').fill(person.name)
    await previewShows(page)
    await button(page, 'Join now').click()
    await button(page, 'Leave the room').waitFor()
  }

  async function meet({ moderator, guest }: Conference, people: readonly (readonly [Page, Portrayed])[]) {
    for (const [index, [page, person]] of people.entries()) {
      await join(page, (index === 0 ? moderator : guest).url, person)
      await picturePlays(page)
    }
  }

  async function picture(page: Page, name: string): Promise<void> {
    const file = path.join(imagesFolder, name)
    await page.screenshot({ path: `${file}.png`, animations: 'disabled' })
    await run('ffmpeg', ['-v', 'error', '-y', '-i', `${file}.png`, '-quality', '84', `${file}.webp`])
    await unlink(`${file}.png`)
  }

  return { pageOf, meet, picture }
}

/** Chromium names its fake devices after files. Runs in the page. */
function nameDevices(): void {
  const names = {
    audioinput: 'Built-in microphone',
    audiooutput: 'Built-in speakers',
    videoinput: 'HD camera',
  }
  const { mediaDevices } = navigator
  const list = mediaDevices.enumerateDevices.bind(mediaDevices)
  mediaDevices.enumerateDevices = async () =>
    (await list()).map((device) => {
      const { deviceId, groupId, kind } = device
      const label = device.label === '' ? '' : names[kind]
      return { deviceId, groupId, kind, label, toJSON: () => ({ deviceId, groupId, kind, label }) }
    })
}
