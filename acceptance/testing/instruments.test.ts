import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessibilityFaults } from './axe.ts'
import { launchBrowser } from './browser.ts'
import { nameOfColour, PARTICIPANTS } from './colours.ts'
import { run } from './commands.ts'
import { eventually } from './eventually.ts'
import { colourIn, flashesAndBeeps, median, soundOf, stillAt, toneLevel } from './media-file.ts'
import { Participant } from './participant.ts'

// The other suites rely on these measurements. These tests check them without a server.

const [, green, blue] = PARTICIPANTS
const WHOLE = { x: 0, y: 0, width: 100, height: 100 }
let browser: Browser
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'parley-instruments-'))
  browser = await launchBrowser(green)
})

afterAll(async () => {
  await browser.close()
  await rm(directory, { recursive: true })
})

test('a browser shows its own colour, hears its own tone, and sees its mark move', async () => {
  const participant = await Participant.open(browser, green.name)
  await participant.ask('loopBack')
  await eventually(
    'colour',
    async () => (await participant.coloursAt([WHOLE])).map((rgb) => rgb && nameOfColour(rgb)),
    ([name]) => name === green.name,
  )
  const heard = await eventually(
    'tone',
    () => participant.spectrum([green.toneHz, blue.toneHz]),
    ({ tones: [own = -200], floor }) => own > -40 && own > floor + 40,
  )
  expect(heard.tones[1]).toBeLessThan(-60)
  const frames = await participant.watch({ x: 0, y: 75, width: 100, height: 25 }, 2000)
  expect(frames.length).toBeGreaterThan(20)
  expect(frames.slice(1).filter(({ change }) => change > 1).length).toBeGreaterThan(frames.length * 0.8)
  expect((await participant.moreFrames(10)).codec).toMatch(/^video\//)
  await participant.close()
})

test('faults of accessibility are found, under a strict content security policy too', async () => {
  const page = await browser.newPage()
  const strict = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`
  const pageOf = (body: string) =>
    `<!doctype html><html lang="en"><title>Page</title>${strict}<main><h1>Page</h1>${body}</main></html>`
  await page.setContent(pageOf('<button>Go</button>'))
  expect(await accessibilityFaults(page)).toEqual([])
  await page.setContent(pageOf('<button></button><img src="data:,">'))
  const faults = await accessibilityFaults(page)
  expect(faults.map((fault) => fault.split(':')[0])).toEqual(['button-name', 'image-alt'])
  expect(await accessibilityFaults(page, { without: ['img', 'button'] })).toEqual([])
  await page.close()
})

test('flashes and beeps leave the browser together', async () => {
  const participant = await Participant.open(browser, 'flashing', { source: 'flash-and-beep' })
  const file = path.join(directory, 'local.webm')
  await writeFile(file, Buffer.from(await participant.ask('recordLocally', 6000), 'base64'))
  const pairs = await flashesAndBeeps(file, WHOLE)
  expect(pairs.length).toBeGreaterThanOrEqual(4)
  // A busy machine may show a single flash a picture late.
  expect(Math.abs(median(pairs.map(({ soundLateMs }) => soundLateMs)))).toBeLessThan(30)
  await participant.close()
})

test('a file whose sound is late by 150 ms is told from one in step', async () => {
  const file = path.join(directory, 'late.mp4')
  await run('ffmpeg', [
    ...[
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      `nullsrc=s=64x36:r=20:d=5,geq=lum='if(lt(mod(T,1),0.2),235,16)':cb=128:cr=128`,
    ],
    ...['-f', 'lavfi', '-i', `aevalsrc='0.5*sin(2*PI*1000*t)*lt(mod(t-0.15,1),0.2)*gt(t,0.15)':d=5:s=48000`],
    ...['-c:v', 'libx264', '-c:a', 'aac', file],
  ])
  const pairs = await flashesAndBeeps(file, WHOLE)
  expect(pairs.length).toBeGreaterThanOrEqual(4)
  for (const { soundLateMs } of pairs) expect(soundLateMs).toBeGreaterThan(120)
  for (const { soundLateMs } of pairs) expect(soundLateMs).toBeLessThan(180)
})

test('colours and tones of a file are found where and when they are', async () => {
  const file = path.join(directory, 'halves.mp4')
  const hex = (persona: (typeof PARTICIPANTS)[number]) => `0x${Buffer.from(persona.colour).toString('hex')}`
  await run('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', `color=${hex(green)}:s=160x180:r=20:d=2`],
    ...['-f', 'lavfi', '-i', `color=${hex(blue)}:s=160x180:r=20:d=2`],
    ...['-f', 'lavfi', '-i', `sine=frequency=${blue.toneHz}:duration=1,volume=2,apad=pad_dur=1`],
    ...['-filter_complex', '[0][1]hstack,format=yuv420p', '-c:v', 'libx264', '-c:a', 'aac', file],
  ])
  const still = await stillAt(file, 1)
  expect(nameOfColour(colourIn(still, { x: 10, y: 10, width: 30, height: 80 }))).toBe(green.name)
  expect(nameOfColour(colourIn(still, { x: 60, y: 10, width: 30, height: 80 }))).toBe(blue.name)
  const sound = await soundOf(file)
  expect(toneLevel(sound, blue.toneHz, 0.2, 0.9)).toBeGreaterThan(-20)
  expect(toneLevel(sound, blue.toneHz, 1.2, 1.9)).toBeLessThan(-60)
  expect(toneLevel(sound, green.toneHz, 0.2, 0.9)).toBeLessThan(-60)
})
