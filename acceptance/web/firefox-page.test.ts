import type { Page } from 'playwright-core'
import type { Page as FoxPage } from 'puppeteer-core'
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { type Conference, makeConference, useConferenceGuests } from '../testing/conference.ts'
import { drawnScreen, drawScreens } from '../testing/drawn-screen.ts'
import { eventually } from '../testing/eventually.ts'
import { FirefoxPages } from '../testing/firefox.ts'
import { button, people, usePageVisitors } from '../testing/page-visitors.ts'
import { RESULTS_DIR } from '../testing/server-process.ts'
import { BLUE, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'firefox-page', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
const { complaints, ...visitors } = usePageVisitors(deployment, 'firefox-page')
const { join } = useConferenceGuests(visitors)
/** The client says so where fake devices need no permission: then there is none that was given. It goes on. */
const NO_PERMISSION = 'You must ask the user for permissions'
let firefox: FirefoxPages
let conference: Conference

beforeAll(async () => {
  firefox = await FirefoxPages.open(BLUE.toneHz)
})
afterAll(() => firefox?.close())

/** Something of the page in Firefox, by its role and name. */
const named = (fox: FoxPage, role: string, name: string) =>
  fox.locator(`::-p-aria([name="${name}"][role="${role}"])`)

/** Joins by the link of guests, with camera and microphone on. */
async function joinInFirefox(name: string): Promise<FoxPage> {
  const fox = await firefox.page()
  onTestFailed(async () => {
    await fox.screenshot({ path: `${RESULTS_DIR}/firefox-page.png` })
  })
  await fox.goto(conference.guest.url)
  await named(fox, 'textbox', 'Your name').fill(name)
  await fox.waitForFunction(() => (document.querySelector('video')?.videoWidth ?? 0) > 0)
  await named(fox, 'button', 'Join now').click()
  await named(fox, 'button', 'Leave the room').wait()
  return fox
}

/** The composed picture, as Firefox shows it: how long it has played, in seconds, and the colour of its middle. */
const picture = (fox: FoxPage): Promise<{ seconds: number; middle: number[] }> =>
  fox.evaluate(() => {
    const video = document.querySelector<HTMLVideoElement>('.mcuContent video')
    if (!video?.videoWidth) return { seconds: 0, middle: [] }
    const context = new OffscreenCanvas(16, 9).getContext('2d')
    context?.drawImage(video, 0, 0, 16, 9)
    const middle = [...(context?.getImageData(12, 4, 1, 1).data ?? [])]
    return { seconds: video.currentTime, middle }
  })

async function moves(fox: FoxPage): Promise<void> {
  const { seconds } = await picture(fox)
  await eventually(
    'the picture moves in Firefox',
    () => picture(fox),
    (now) => now.seconds > seconds + 1,
  )
}

/** Colours in the composed picture as Chromium gets it. A guest's screen is a tile of it, which the page shows large. */
const coloursOf = (page: Page): Promise<number[][]> =>
  page.evaluate(() => {
    const video = document.querySelector<HTMLVideoElement>('.mcuContent video')
    const context = new OffscreenCanvas(16, 9).getContext('2d')
    if (!context || !video?.videoWidth) return []
    context.drawImage(video, 0, 0, 16, 9)
    const pixels = [...context.getImageData(0, 0, 16, 9).data]
    return Array.from({ length: 16 * 9 }, (_, index) => pixels.slice(4 * index, 4 * index + 3))
  })

test('a person in Firefox joins by a link, talks in the chat, sees a shared screen, and shares one', async () => {
  conference = await makeConference(deployment)
  const ada = await join(conference.moderator, 'Ada', drawnScreen)
  const fox = await joinInFirefox('Grace')
  await moves(fox)
  await button(ada, 'Show people').click()
  await people(ada).filter({ hasText: 'Grace' }).waitFor()

  await button(ada, 'Show chat').click()
  await named(fox, 'button', 'Show chat').click()
  await named(fox, 'textbox', 'Write a message').fill('Hello from Firefox')
  await fox.keyboard.press('Enter')
  await ada.getByRole('log', { name: 'Messages' }).getByText('Hello from Firefox').waitFor()
  await ada.getByRole('textbox', { name: 'Write a message' }).fill('Hello from Chromium')
  await ada.keyboard.press('Enter')
  await fox.locator('::-p-text(Hello from Chromium)').wait()

  await button(ada, 'Share your screen').click()
  await button(ada, 'Stop sharing your screen').waitFor()
  const isViolet = ([red = 0, green = 0, blue = 0]: number[]) => red > 140 && green < 110 && blue > 150
  await eventually(
    'the screen is large in Firefox',
    () => picture(fox),
    ({ middle }) => isViolet(middle),
  )
  await button(ada, 'Stop sharing your screen').click()
  await button(ada, 'Stop sharing your screen').waitFor({ state: 'detached' })

  await fox.evaluate(drawScreens)
  await named(fox, 'button', 'Share your screen').click()
  await button(ada, 'Show the whole picture').waitFor()
  await eventually(
    'the screen of Firefox is in the picture',
    () => coloursOf(ada),
    (colours) => colours.some(isViolet),
  )
  await named(fox, 'button', 'Stop sharing your screen').click()
  await button(ada, 'Show the whole picture').waitFor({ state: 'detached' })

  await named(fox, 'button', 'Turn camera off').click()
  await named(fox, 'button', 'Turn camera on').click()
  await named(fox, 'button', 'Turn camera off').wait()
  await moves(fox)
  await named(fox, 'button', 'Leave the room').click()
  await people(ada).filter({ hasText: 'Grace' }).waitFor({ state: 'detached' })
  expect(firefox.complaints.filter((one) => !one.includes(NO_PERMISSION))).toEqual([])
  expect(complaints).toEqual([])
})
