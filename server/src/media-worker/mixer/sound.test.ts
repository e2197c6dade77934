import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ExpectedLoss } from './expected-loss.ts'
import { Limiter } from './limiter.ts'
import { MicrophoneQueue, TICK_SAMPLES } from './microphone-queue.ts'
import { PcmQueue } from './pcm-queue.ts'
import { renderTone } from './tones.ts'
import { levelDb, volumeGain } from './volume.ts'

test('a queue gives back what it was given, in order, and the newest when it is too much', () => {
  const step = fc.oneof(
    fc.integer({ min: 0, max: 40 }).map((push) => ({ push, pull: 0 })),
    fc.integer({ min: 0, max: 40 }).map((pull) => ({ push: 0, pull })),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new PcmQueue(30)
      let model: number[] = []
      let next = 1
      for (const { push, pull } of steps) {
        const samples = Array.from({ length: push }, () => next++)
        queue.push(Float32Array.from(samples))
        model = [...model, ...samples].slice(-30)
        const out = new Float32Array(pull)
        queue.pull(out)
        const expected = model.splice(0, pull)
        expect([...out]).toEqual([...expected, ...Array(pull - expected.length).fill(0)])
        expect(queue.length).toBe(model.length)
      }
    }),
  )
})

test('a limiter leaves quiet sound alone and keeps the loudest below full scale', () => {
  const loudness = fc.double({ min: 0, max: 50, noNaN: true })
  fc.assert(
    fc.property(fc.array(loudness, { minLength: 1, maxLength: 30 }), (amplitudes) => {
      const limiter = new Limiter()
      let position = 0
      for (const amplitude of amplitudes) {
        const pcm = Float32Array.from({ length: 960 }, () => amplitude * Math.sin(position++ * 0.05))
        limiter.process(pcm)
        expect(Math.max(...pcm.map(Math.abs))).toBeLessThanOrEqual(1)
      }
    }),
  )
  const quiet = Float32Array.from({ length: 960 }, (_, index) => 0.8 * Math.sin(index * 0.05))
  const copy = quiet.slice()
  new Limiter().process(copy)
  expect(copy).toEqual(quiet)
})

test('volume is silence at -50, unity at 0, and grows all the way to 50', () => {
  expect(volumeGain(-50)).toBe(0)
  expect(volumeGain(-1000)).toBe(0)
  expect(volumeGain(Number.NaN)).toBe(0)
  expect(volumeGain(0)).toBe(1)
  expect(20 * Math.log10(volumeGain(50))).toBeCloseTo(15)
  expect(volumeGain(1000)).toBe(volumeGain(50))
  for (let volume = -50; volume < 50; volume++)
    expect(volumeGain(volume + 1)).toBeGreaterThan(volumeGain(volume))
})

test('levels are against full scale', () => {
  expect(levelDb(new Float32Array(960))).toBe(Number.NEGATIVE_INFINITY)
  expect(levelDb(new Float32Array(960).fill(1))).toBeCloseTo(0)
  expect(levelDb(new Float32Array(960).fill(0.1))).toBeCloseTo(-20)
})

test('expected loss goes up at once and down only after five calmer reports', () => {
  const loss = new ExpectedLoss()
  expect(loss.percent).toBe(0)
  loss.report(4)
  expect(loss.percent).toBe(6)
  loss.report(40)
  expect(loss.percent).toBe(25)
  for (let report = 0; report < 4; report++) loss.report(0)
  loss.report(30)
  for (let report = 0; report < 4; report++) loss.report(0)
  expect(loss.percent).toBe(25)
  loss.report(0)
  expect(loss.percent).toBe(0)
})

test('tones are short and soft, and begin and end without a click', () => {
  for (const tone of ['entry', 'exit'] as const) {
    const pcm = renderTone(tone)
    expect(pcm.length / 48).toBeLessThan(400)
    expect(Math.max(...pcm)).toBeGreaterThan(0.03)
    expect(Math.max(...pcm)).toBeLessThan(0.2)
    expect(Math.abs(pcm[0]!)).toBeLessThan(0.001)
    expect(Math.abs(pcm.at(-1)!)).toBeLessThan(0.001)
    for (let index = 1; index < pcm.length; index++)
      expect(Math.abs(pcm[index]! - pcm[index - 1]!)).toBeLessThan(0.03)
  }
})

test('a held microphone has each sample exactly once, the hold later', () => {
  const queue = new MicrophoneQueue()
  queue.restart(60)
  expect(queue.missing).toBe(TICK_SAMPLES)
  const out = new Float32Array(TICK_SAMPLES)
  const heard: number[] = []
  for (let tick = 1; tick <= 6; tick++) {
    queue.push(new Float32Array(TICK_SAMPLES).fill(tick))
    expect(queue.missing).toBe(0)
    queue.pull(out)
    heard.push(out[0]!)
  }
  expect(heard).toEqual([0, 0, 0, 1, 2, 3])
  // The sender stops: what is queued is still heard.
  for (let tick = 0; tick < 3; tick++) {
    expect(queue.audible).toBeGreaterThan(0)
    queue.pushSilence()
    queue.pull(out)
    heard.push(out[0]!)
  }
  expect(heard.slice(6)).toEqual([4, 5, 6])
  expect(queue.audible).toBe(0)
})

test('a hold changes by one tick at a time, and not for little', () => {
  const queue = new MicrophoneQueue()
  queue.restart(0)
  queue.push(new Float32Array(TICK_SAMPLES).fill(1))
  queue.adjustHold(12)
  expect(queue.missing).toBe(0)
  queue.adjustHold(200)
  queue.adjustHold(200)
  expect(queue.missing).toBe(0)
  queue.adjustHold(0)
  expect(queue.missing).toBe(0)
  const out = new Float32Array(TICK_SAMPLES)
  queue.pull(out)
  expect(queue.missing).toBe(TICK_SAMPLES)
})
