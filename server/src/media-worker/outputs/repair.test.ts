import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { RecordingResult } from '../../media/channel.ts'
import { decodeErrors, listPackets, probe } from '../test-media/recorded-file.ts'
import { repairRecording } from './repair.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const RECORDER = fileURLToPath(new URL('../test-media/record-until-killed.ts', import.meta.url))

let folder: string
/** A recording of about 12 s whose process was killed, as it was left behind. */
let killed: string
let recordedMs = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'repair-'))
  killed = join(folder, 'killed.mp4')
  const child = spawn(process.execPath, [RECORDER, killed], { stdio: ['ignore', 'pipe', 'inherit'] })
  recordedMs = await killAfter(child, 12_000)
})
afterAll(() => rm(folder, { recursive: true }))

/** @returns how much the process had recorded when it was killed */
async function killAfter(child: ChildProcess, ms: number): Promise<number> {
  let passedMs = 0
  for await (const line of createInterface({ input: child.stdout! })) {
    passedMs = Number(line)
    if (passedMs >= ms) child.kill('SIGKILL')
  }
  return passedMs
}

async function copyOf(file: string, name: string): Promise<string> {
  const copy = join(folder, name)
  await copyFile(file, copy)
  return copy
}

test('what a killed process recorded up to 2 s before can be played at once', async () => {
  expect(await decodeErrors(killed)).toBe('')
  const packets = await listPackets(killed)
  const end = Math.max(...packets.map(({ pts, duration }) => pts + duration))
  expect(end * 1000).toBeGreaterThan(recordedMs - 2000)
})

test('repair gives it an index and its true length, and does so once', async () => {
  const file = await copyOf(killed, 'repaired.mp4')
  const before = await listPackets(file)
  const result = await repairRecording(file)
  expect(result?.durationMs).toBeGreaterThan(recordedMs - 2000)
  expect(result?.durationMs).toBeLessThanOrEqual(recordedMs + 60)
  expect(result?.sizeInBytes).toBe((await stat(file)).size)
  const { format, streams } = await probe(file)
  expect(Math.abs(Number(format.duration) * 1000 - result!.durationMs)).toBeLessThan(5)
  for (const stream of streams) {
    expect(Number(stream.start_time)).toBe(0)
    expect(Number(stream.nb_frames)).toBe(
      before.filter(({ codec_type }) => codec_type === stream.codec_type).length,
    )
  }
  expect(await decodeErrors(file)).toBe('')
  expect((await readFile(file)).includes('moof')).toBe(false)
  const repairedAt = (await stat(file)).mtimeMs
  expect(await repairRecording(file)).toEqual(result)
  expect((await stat(file)).mtimeMs).toBe(repairedAt)
  expect((await readdir(folder)).filter((name) => name.includes('repairing'))).toEqual([])
})

test('repairs a file that is cut anywhere', async () => {
  const { size } = await stat(killed)
  let longestMs = 0
  for (let step = 0; step <= 24; step++) {
    const length = Math.floor((size * step) / 24)
    const file = await copyOf(killed, 'cut.mp4')
    await truncate(file, length)
    const result = await repairRecording(file)
    if (!result) {
      // Nothing in it yet: it is left as it was.
      expect(length).toBeLessThan(size / 8)
      expect((await stat(file)).size).toBe(length)
      continue
    }
    expect(result.durationMs).toBeGreaterThanOrEqual(longestMs)
    expect(result.durationMs).toBeGreaterThan((recordedMs * step) / 24 - 2500)
    longestMs = result.durationMs
    expect(await decodeErrors(file), `cut at ${length}`).toBe('')
  }
})

test('of what is no recording it makes nothing, and leaves it alone', async () => {
  const contents = [
    Buffer.alloc(0),
    Buffer.from('hello'),
    Buffer.alloc(100_000, 7),
    Buffer.from('\0\0\0\x10ftypisom\0\0\0\0'),
  ]
  for (const content of contents) {
    const file = join(folder, 'other')
    await writeFile(file, content)
    expect(await repairRecording(file)).toBeNull()
    expect(await readFile(file)).toEqual(content)
  }
  expect(await repairRecording(join(folder, 'missing.mp4'))).toBeNull()
  expect(await repairRecording(folder)).toBeNull()
})

test('damage inside of a fragment costs that fragment, not the process', async () => {
  const file = await copyOf(killed, 'damaged.mp4')
  const data = await readFile(file)
  data.fill(0xaa, data.length >> 1, (data.length >> 1) + 300)
  await writeFile(file, data)
  const result = await repairRecording(file)
  expect(result?.durationMs).toBeGreaterThan(recordedMs / 3)
})

/** What the recorder says last, under a limit to the size of its files. */
async function recordWithin(
  kilobytes: number,
  file: string,
): Promise<{ reason: string; result: RecordingResult | null }> {
  // The signal that comes with the limit would end the process; ignored, the write fails as on a full disk.
  const script = `trap '' XFSZ; ulimit -f ${kilobytes * (1024 / 512)}; exec "$0" "$1" "$2"`
  const child = spawn('sh', ['-c', script, process.execPath, RECORDER, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let last = ''
  createInterface({ input: child.stdout }).on('line', (line) => (last = line))
  await once(child, 'exit')
  return JSON.parse(last) as { reason: string; result: RecordingResult | null }
}

test('a recording that the disk has no more room for ends with a reason, and keeps what is there', async () => {
  const file = join(folder, 'full.mp4')
  const { reason, result } = await recordWithin(700, file)
  expect(reason).toMatch(/too large|no space/i)
  expect(result?.recordingId).toBe('killed')
  expect(result?.durationMs).toBeGreaterThan(1500)
  expect(result?.sizeInBytes).toBe((await stat(file)).size)
  const { format } = await probe(file)
  expect(Math.abs(Number(format.duration) * 1000 - result!.durationMs)).toBeLessThan(600)
  expect(await decodeErrors(file)).toBe('')
})

test('a recording for which there is no room at all ends with a reason and nothing', async () => {
  const { reason, result } = await recordWithin(1, join(folder, 'none.mp4'))
  expect(reason).not.toBe('')
  expect(result).toBeNull()
})
