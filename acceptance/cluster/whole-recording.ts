import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { frameTimes, probe } from '../testing/media-file.ts'
import type { Recording, Rest } from '../testing/rest.ts'

/** A browser that starts nearby may take the processors from the encoder for this long. */
const LONGEST_STANDSTILL_SECONDS = 2

/** Id of the only recording of a session, once it runs. */
export async function runningRecording(rest: Rest, sessionId: string): Promise<string> {
  const [recording, ...more] = await eventually(
    'the recording that runs',
    () => rest.sessionRecordings(sessionId),
    ([first]) => first?.started_at != null,
  )
  expect(more).toEqual([])
  return recording?.id ?? ''
}

/**
 * Waits until a recording is completed, and checks that it can be played from its start to its end.
 * @param mayBeLostMs how much may be missing before its end
 * @returns its length in milliseconds
 */
export async function expectWhole(
  rest: Rest,
  id: string,
  mayBeLostMs = 1000,
): Promise<{ recording: Recording; durationMs: number }> {
  const recording = await eventually(
    'the completed recording',
    () => rest.recording(id),
    ({ status }) => status === 'completed',
    { timeoutMs: 60_000 },
  )
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-whole-'))
  try {
    const file = path.join(folder, 'recording.mp4')
    // Only the node that made it has it before it is in the store. That one may have been killed.
    const { status, body } = await eventually(
      'the file',
      () => rest.download(recording.uri ?? ''),
      (answer) => answer.status !== 503,
      { timeoutMs: 60_000, everyMs: 1000 },
    )
    expect(status).toBe(200)
    expect(body.length).toBe(recording.size_in_bytes)
    await writeFile(file, body)
    const { durationSeconds, video, audio } = await probe(file)
    const durationMs = durationSeconds * 1000
    const ranMs = Date.parse(recording.finished_at ?? '') - Date.parse(recording.started_at ?? '')
    expect(durationMs).toBeGreaterThan(ranMs - mayBeLostMs)
    expect(durationMs).toBeLessThan(ranMs + 1000)
    expect(audio).not.toBeNull()
    expect(video?.endSeconds).toBeGreaterThan(durationSeconds - 1)
    const times = await frameTimes(file)
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    expect(Math.max(...gaps)).toBeLessThan(LONGEST_STANDSTILL_SECONDS)
    return { recording, durationMs }
  } finally {
    await rm(folder, { recursive: true })
  }
}
