import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import type { PaintedFlash } from '../page/sources.ts'
import { eventually } from '../testing/eventually.ts'
import { flashesAndBeeps, probe } from '../testing/media-file.ts'
import { middleOf } from '../testing/seen-and-heard.ts'
import { StolenTimeWatch } from '../testing/stolen-time.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

const LARGEST_OFFSET_MS = 80
const RECORDED_MS = 12_000
/** Time from the painting of a flash until it is in the recorded picture. */
const SHOWN_WITHIN_MS = 300

const deployment = useDeployment({ name: 'synchronisation' })
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'parley-synchronisation-'))
})

afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

test('picture and sound of a recording are in step, right from its first second', async () => {
  const room_name = deployment.roomName()
  // A second member makes sure that the picture is really composed. It is muted, because its tone would hide the beeps.
  const other = await deployment.enter(GREEN, { room_name, join_audio_muted: true })
  const flashing = await deployment.enter(
    RED,
    { room_name, permissions: ['room.recording'] },
    { source: 'flash-and-beep' },
  )
  const tiles = await flashing.layoutOf([flashing.memberId, other.memberId])
  await flashing.moreFrames(20)
  const stolen = new StolenTimeWatch()
  const { id } = await flashing.call<{ id: string }>('startRecording')
  await timePasses(RECORDED_MS, 'it is recorded')
  await flashing.onRecording(id, 'stop')
  await stolen.end()
  const { uri, started_at } = await eventually(
    'the completed recording',
    () => deployment.rest.recording(id),
    ({ status }) => status === 'completed',
  )
  const file = path.join(directory, 'synchronisation.mp4')
  await writeFile(file, (await deployment.rest.download(uri ?? '')).body)

  const { durationSeconds } = await probe(file)
  expect(durationSeconds).toBeGreaterThan(RECORDED_MS / 1000 - 1)
  const tile = tiles.get(flashing.memberId)
  const pairs = await flashesAndBeeps(file, middleOf(tile ?? { x: 0, y: 0, width: 100, height: 100 }))
  // A browser that is short of processor time paints a flash late. That is not the recording's fault.
  const painted = await flashing.ask('paintedFlashes')
  const offsets = pairs.map(({ flashSeconds, soundLateMs }) => {
    const shownAtMs = Date.parse(started_at ?? '') + flashSeconds * 1000
    const distance = ({ atMs }: PaintedFlash) => Math.abs(atMs - shownAtMs)
    const source = painted.toSorted((a, b) => distance(a) - distance(b))[0]
    const stolenMs = stolen.between(shownAtMs - SHOWN_WITHIN_MS, shownAtMs)
    return { flashSeconds, offsetMs: soundLateMs + (source?.lateMs ?? 0), stolenMs }
  })
  const seen = offsets
    .map(({ flashSeconds, offsetMs }) => `${flashSeconds.toFixed(2)} s: ${offsetMs.toFixed(0)} ms`)
    .join(', ')
  process.stdout.write(`sound after picture: ${seen}\n`)
  expect(pairs[0]?.flashSeconds, seen).toBeLessThan(1.3)
  expect(pairs.length, seen).toBeGreaterThanOrEqual(Math.floor(durationSeconds) - 1)
  for (const { offsetMs, stolenMs } of offsets)
    expect(Math.abs(offsetMs) - stolenMs, seen).toBeLessThan(LARGEST_OFFSET_MS)
})
