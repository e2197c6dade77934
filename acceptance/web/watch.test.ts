import type { Page } from 'playwright-core'
import type { Page as FoxPage } from 'puppeteer-core'
import { expect, test } from 'vitest'
import type { Rgb } from '../page/picture.ts'
import { nameOfColour } from '../testing/colours.ts'
import { eventually, within } from '../testing/eventually.ts'
import { FirefoxPages } from '../testing/firefox.ts'
import { usePageVisitors } from '../testing/page-visitors.ts'
import { RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'watch', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
const { complaints, visitor } = usePageVisitors(deployment, 'watch')

/** The colour in the middle of the picture; black where there is none. */
const middleColour = (page: Page): Promise<Rgb> =>
  page.evaluate<Rgb>(() => {
    const video = document.querySelector('video')
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 1
    const context = canvas.getContext('2d')
    if (!video?.videoWidth || !context) return [0, 0, 0]
    context.drawImage(video, video.videoWidth / 2, video.videoHeight / 2, 1, 1, 0, 0, 1, 1)
    const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data
    return [r, g, b]
  })

/** The first line that the page writes to its console with this beginning. */
const lineOf = (page: FoxPage, beginning: string) =>
  new Promise<string>((resolve) => {
    page.on('console', (line) => line.text().startsWith(beginning) && resolve(line.text()))
  })

test('a meeting is watched by hls.js until it is over', {
  timeout: 90_000,
}, async () => {
  const room_name = deployment.roomName()
  await deployment.rest.createRoom({ name: room_name, enable_hls: true })
  const red = await deployment.enter(RED, { room_name })
  const { hls_url } = await deployment.rest.session(red.roomSessionId)
  const page = await visitor({ withoutDevices: true })
  await page.goto(`${deployment.access.baseUrl}/watch#${hls_url}`)
  const colour = async () => nameOfColour(await middleColour(page))
  await eventually('the picture', colour, (name) => name === RED.name, { timeoutMs: 20_000 })

  // It has caught up with the end of the playlist by then.
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 8)
  const mutedAtMs = performance.now()
  await red.call('videoMute')
  await eventually('the picture without the camera', colour, (name) => name !== RED.name, {
    timeoutMs: 20_000,
    everyMs: 25,
  })
  const lateMs = performance.now() - mutedAtMs
  process.stdout.write(`glass to glass by HLS: ${(lateMs / 1000).toFixed(2)} s\n`)

  await red.leave()
  await page.getByText('It is over').waitFor({ timeout: 30_000 })
  expect(complaints).toEqual([])
})

test('where the browser begins nothing by itself, the page has a button', async () => {
  const room_name = deployment.roomName()
  await deployment.rest.createRoom({ name: room_name, enable_hls: true })
  const red = await deployment.enter(RED, { room_name })
  const { hls_url } = await deployment.rest.session(red.roomSessionId)
  const firefox = await FirefoxPages.open(RED.toneHz, 'none')
  try {
    const page = await firefox.page()
    const offered = lineOf(page, 'shown:')
    // Whatever a test asks of a page, Firefox takes for a click. So the page itself says when it shows the button.
    await page.evaluateOnNewDocument(() => {
      const tell = () =>
        document.querySelector('main button') && console.log(`shown: ${document.body.textContent}`)
      new MutationObserver(tell).observe(document, { childList: true, subtree: true })
    })
    await page.goto(`${deployment.access.baseUrl}/watch#${hls_url}`)
    expect(await within('the button', 30_000, offered)).not.toContain('Nothing to watch yet')
    // The button is in the middle, above its explanation.
    await page.mouse.click(640, 382)
    const video = () =>
      page.evaluate(() => {
        const { paused, muted, currentTime } = document.querySelector('video')!
        return { paused, muted, currentTime }
      })
    const { currentTime: before } = await video()
    const isOn = (now: Awaited<ReturnType<typeof video>>) =>
      !now.paused && !now.muted && now.currentTime > before + 1
    await eventually('a picture that moves, with sound', video, isOn)
    expect(await page.$('button')).toBeNull()
    expect(firefox.complaints).toEqual([])
  } finally {
    await firefox.close()
  }
})

test('before a meeting, and behind a link that leads elsewhere, the page says so', async () => {
  const shown = async (link: string, text: string) => {
    const page = await visitor({ withoutDevices: true })
    await page.goto(`${deployment.access.baseUrl}/watch#${link}`)
    await page.getByText(text).waitFor()
  }
  await shown('https://elsewhere.example.org/index.m3u8', 'You cannot watch here')
  const link = `${deployment.access.baseUrl}/media/p/hls/s/signature/index.m3u8`
  await shown(link, 'Nothing to watch yet')
})
