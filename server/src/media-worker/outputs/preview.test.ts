import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decodeErrors, listPackets, pictureMeans, probe } from '../../testing/media/recorded-file.ts'
import { timePasses } from '../../testing/time-passes.ts'
import { Picture, type YuvColour } from '../codecs/picture.ts'
import { Preview } from './preview.ts'

const DARK: YuvColour = { y: 40, u: 128, v: 128 }
const BRIGHT: YuvColour = { y: 210, u: 128, v: 128 }
/** Pictures of a room are this far apart. */
const TICK_MS = 50

let folder: string
let file: string
let canvas: Picture
let preview: Preview
let nowMs = 0
const failures: Error[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'preview-'))
  file = join(folder, 'clips', 'room.mp4')
  await mkdir(join(folder, 'clips'))
  canvas = new Picture(1280, 720)
  failures.length = 0
  nowMs = 5000
  preview = new Preview({ file, onFailed: (error) => failures.push(error) })
})

afterEach(async () => {
  await preview.close()
  canvas.free()
  await rm(folder, { recursive: true })
})

function show(colour: YuvColour, ms: number): void {
  canvas.fill(colour)
  for (const endMs = nowMs + ms; nowMs < endMs; nowMs += TICK_MS) preview.write(canvas, nowMs)
}

async function fileThere(): Promise<void> {
  await expect.poll(() => existsSync(file), { timeout: 4000 }).toBe(true)
}

test('a clip of four seconds, small and without sound', async () => {
  show(DARK, 2000)
  show(BRIGHT, 1700)
  expect(existsSync(file)).toBe(false)
  show(BRIGHT, 400)
  await fileThere()
  const { format, streams } = await probe(file)
  expect(streams).toHaveLength(1)
  expect(streams[0]).toMatchObject({ codec_name: 'h264', width: 320, height: 180 })
  expect(Number(format.duration)).toBeCloseTo(4, 1)
  expect(await decodeErrors(file)).toBe('')
  expect(await listPackets(file)).toHaveLength(20)
  const means = await pictureMeans(file)
  expect(means.at(2)?.y).toBeCloseTo(DARK.y, -1)
  expect(means.at(-2)?.y).toBeCloseTo(BRIGHT.y, -1)
  expect((await stat(file)).size).toBeLessThan(200_000)
  expect(failures).toEqual([])
})

test('every twenty seconds a new clip takes the place of the one before', async () => {
  show(DARK, 4100)
  await fileThere()
  const first = await stat(file)
  show(BRIGHT, 15_500)
  await timePasses(300, 'no clip comes before its time')
  expect((await stat(file)).ino).toBe(first.ino)
  show(BRIGHT, 5000)
  await expect.poll(async () => (await stat(file)).ino, { timeout: 4000 }).not.toBe(first.ino)
  expect((await pictureMeans(file)).at(0)?.y).toBeCloseTo(BRIGHT.y, -1)
})

test('closing takes the clip away, also one that is being made', async () => {
  show(DARK, 4100)
  await fileThere()
  show(DARK, 18_000)
  await preview.close()
  expect(await readdir(join(folder, 'clips'))).toEqual([])
  show(DARK, 30_000)
  await timePasses(200, 'no clip comes any more')
  expect(await readdir(join(folder, 'clips'))).toEqual([])
})

test('a folder that is gone costs clips and nothing else', async () => {
  await rm(join(folder, 'clips'), { recursive: true })
  show(DARK, 4100)
  await expect.poll(() => failures.length).toBe(1)
  await mkdir(join(folder, 'clips'))
  show(DARK, 21_000)
  await fileThere()
})
