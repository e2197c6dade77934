import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type FrameSource, PictureWatch } from './picture-watch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A receiver, and how many frames have reached it. */
function receiver(): FrameSource & { frames: number; track: { readyState: MediaStreamTrackState } } {
  const source = {
    frames: 0,
    track: { readyState: 'live' as MediaStreamTrackState },
    async getStats() {
      return new Map([
        ['a', { type: 'inbound-rtp', kind: 'audio' }],
        ['v', { type: 'inbound-rtp', kind: 'video', framesReceived: source.frames }],
      ]) as unknown as RTCStatsReport
    },
  }
  return source
}

async function seconds(count: number, each: () => void = () => {}): Promise<void> {
  for (let tick = 0; tick < count * 4; tick++) {
    each()
    await vi.advanceTimersByTimeAsync(250)
  }
}

function watched() {
  const told: boolean[] = []
  const watch = new PictureWatch((flows) => told.push(flows))
  const source = receiver()
  watch.watch(source)
  return { told, watch, source }
}

test('tells within four seconds that the picture stopped, and at once that it goes on', async () => {
  const { told, source } = watched()
  await seconds(5, () => source.frames++)
  expect(told).toEqual([])
  await seconds(2.5)
  expect(told).toEqual([])
  await seconds(1.5)
  expect(told).toEqual([false])
  source.frames++
  await seconds(0.5)
  expect(told).toEqual([false, true])
})

test('a picture that has not begun, slow pictures and ended tracks are no alarm', async () => {
  const { told, source } = watched()
  await seconds(10)
  let tick = 0
  await seconds(10, () => {
    if (++tick % 6 === 0) source.frames++
  })
  source.track.readyState = 'ended'
  await seconds(10)
  expect(told).toEqual([])
})

test('another receiver and the end of watching take the alarm back', async () => {
  const { told, watch, source } = watched()
  await seconds(1, () => source.frames++)
  await seconds(4)
  watch.watch(receiver())
  expect(told).toEqual([false, true])
  await seconds(10)
  watch.stop()
  expect(told).toEqual([false, true])
})
