import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cameraOf } from '../pictures/cameras.ts'
import { MAYA } from '../pictures/people.ts'
import { launchBrowser } from '../testing/browser.ts'
import { eventually } from '../testing/eventually.ts'
import { makeNoisyMicrophone } from '../testing/fake-devices.ts'
import { button, picturePlays, usePageVisitors } from '../testing/page-visitors.ts'
import { RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'effects', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
const { complaints, visitor, greenRoomOf, join } = usePageVisitors(deployment, 'effects', devices)

/** A person before blinds, and a voice in a loud room. */
async function devices(): Promise<{ cameraFile: string; microphoneFile: string }> {
  const draughtsman = await launchBrowser(RED, { withoutDevices: true })
  try {
    const cameraFile = await cameraOf(MAYA, draughtsman)
    return { cameraFile, microphoneFile: await makeNoisyMicrophone(path.join(tmpdir(), 'parley-loud-room')) }
  } finally {
    await draughtsman.close()
  }
}

/** Opens the settings. */
async function settings(page: Page): Promise<void> {
  await button(page, /^Devices/).click()
  await page.getByRole('menuitem', { name: 'Settings and tests' }).click()
  await page.getByRole('dialog', { name: 'Settings' }).waitFor()
}

const blur = (page: Page) => page.getByRole('switch', { name: 'Blur my background' })

interface Seen {
  /** The mean difference of neighbouring pixels at the upper left, from 0 to 255: how sharp the blinds are. */
  blinds: number
  /** How much redder than blue the cheek is: skin is, blinds are not. From -255 to 255. */
  cheek: number
}

/** What is in the picture that comes from the server. All is 0 while there is none. */
async function look(page: Page): Promise<Seen> {
  return page.evaluate(() => {
    const element = document.querySelector<HTMLVideoElement>('.mcuContent video')
    if (!element?.videoWidth) return { blinds: 0, cheek: 0 }
    const canvas = new OffscreenCanvas(640, 360)
    const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D
    context.drawImage(element, 0, 0, 640, 360)
    const { data, width, height } = context.getImageData(10, 10, 150, 100)
    let sum = 0
    for (let row = 0; row < height; row++)
      for (let column = 1; column < width; column++) {
        const at = 4 * (row * width + column)
        sum += Math.abs((data[at] ?? 0) - (data[at - 4] ?? 0))
      }
    const [red = 0, , blue = 0] = context.getImageData(326, 229, 1, 1).data
    return { blinds: sum / (height * (width - 1)), cheek: red - blue }
  })
}

const becomes = (what: string, page: Page, isRight: (now: Seen) => boolean) =>
  eventually(what, () => look(page), isRight)

test('a background is blurred for the others, also after a mute and a reload', async () => {
  const page = await visitor()
  const roomName = deployment.roomName()
  await join(page, roomName, 'Maya')
  await picturePlays(page)
  const sharp = await becomes('the blinds are sharp', page, ({ blinds, cheek }) => blinds > 8 && cheek > 40)
  const isBlurred = ({ blinds, cheek }: Seen) => blinds < sharp.blinds / 3 && cheek > 40
  await settings(page)
  await blur(page).click()
  await becomes('the blinds are blurred', page, isBlurred)
  await page.keyboard.press('Escape')
  process.stdout.write(`sharp ${JSON.stringify(sharp)}, blurred ${JSON.stringify(await look(page))}\n`)

  await button(page, 'Turn camera off').click()
  await button(page, 'Turn camera on').click()
  await becomes('they are blurred after a mute', page, isBlurred)
  await page.reload()
  await button(page, 'Leave the room').waitFor()
  await becomes('they are blurred after a reload', page, isBlurred)

  await settings(page)
  expect(await blur(page).getAttribute('aria-checked')).toBe('true')
  await blur(page).click()
  await becomes('they are sharp again', page, ({ blinds }) => blinds > sharp.blinds / 2)
  expect(complaints).toEqual([])
})

/** Where {@link keepHeard} leaves the sound of the room. */
interface Heard {
  heard: MediaStreamTrack
}

/** Keeps the track of the room's sound: the page plays it by an element that is not in the document. */
const keepHeard = (page: Page) =>
  page.addInitScript(() => {
    window.RTCPeerConnection = class extends RTCPeerConnection {
      constructor(configuration?: RTCConfiguration) {
        super(configuration)
        this.addEventListener('track', ({ track }) => {
          if (track.kind === 'audio') Object.assign(window, { heard: track })
        })
      }
    }
  })

/** Levels of the room's sound in dBFS: of its pauses, and of its speech. */
async function levels(page: Page, seconds: number): Promise<{ pauses: number; speech: number }> {
  return page.evaluate(async (lasts) => {
    const context = new AudioContext()
    const analyser = new AnalyserNode(context, { fftSize: 2048 })
    context.createMediaStreamSource(new MediaStream([(window as unknown as Heard).heard])).connect(analyser)
    const samples = new Float32Array(2048)
    const heard: number[] = []
    await new Promise<void>((done) => {
      const timer = setInterval(() => {
        analyser.getFloatTimeDomainData(samples)
        const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
        if (heard.push(10 * Math.log10(power + 1e-12)) < lasts * 25) return
        clearInterval(timer)
        done()
      }, 40)
    })
    await context.close()
    heard.sort((one, other) => one - other)
    const at = (part: number) => heard[Math.floor(part * heard.length)] ?? 0
    return { pauses: at(0.15), speech: at(0.85) }
  }, seconds)
}

test('strong noise suppression takes the noise out of the pauses, and leaves the voice', async () => {
  const roomName = deployment.roomName()
  const [maya, listener] = [await visitor(), await visitor()]
  await keepHeard(listener)
  await join(maya, roomName, 'Maya')
  await greenRoomOf(listener, roomName)
  await listener.getByLabel('Your name').fill('Listener')
  await button(listener, 'Turn microphone off').click()
  await button(listener, 'Join now').click()
  await picturePlays(listener)
  await settings(maya)
  const noise = maya.getByLabel('Noise suppression')
  await noise.selectOption('Off')
  const loud = await levels(listener, 5)
  await noise.selectOption('Strong')
  // The first seconds still hold what was sent before, and gaps while the filter is loaded.
  const still = await eventually(
    'still pauses, and the voice',
    () => levels(listener, 4),
    ({ pauses, speech }) => pauses < loud.pauses - 10 && speech > loud.speech - 6,
    { timeoutMs: 30_000 },
  )
  process.stdout.write(`off ${JSON.stringify(loud)}, strong ${JSON.stringify(still)}\n`)
  expect(complaints).toEqual([])
})
