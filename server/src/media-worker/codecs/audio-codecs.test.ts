import { expect, test } from 'vitest'
import { AacEncoder, OpusEncoder } from './audio-encoder.ts'
import { OpusDecoder } from './opus-decoder.ts'

function tone(samples: number, from: number): Float32Array {
  return Float32Array.from(
    { length: samples },
    (_, index) => 0.3 * Math.sin(((from + index) * 2 * Math.PI * 440) / 48_000),
  )
}

test('Opus takes and gives 20 ms, AAC takes 1024 samples, and nothing else', () => {
  const opus = new OpusEncoder(10)
  const aac = new AacEncoder()
  expect(opus.frameSamples).toBe(960)
  expect(aac.frameSamples).toBe(1024)
  // AudioSpecificConfig (ISO/IEC 14496-3 section 1.6.2.1): AAC-LC, 48 kHz, one channel.
  expect(aac.header.subarray(0, 2)).toEqual(Buffer.from([0x11, 0x88]))
  expect(() => opus.encode(new Float32Array(959), () => {})).toThrow(RangeError)
  const decoder = new OpusDecoder()
  let samples = 0
  for (let tick = 0; tick < 10; tick++)
    opus.encode(tone(960, tick * 960), (data) => (samples += decoder.decode(data).length))
  expect(samples).toBe(9600)
  opus.close()
  aac.close()
  decoder.close()
})

test('a gap is concealed with sound that fades, from the first good packet on', () => {
  const opus = new OpusEncoder(0)
  const decoder = new OpusDecoder()
  const loudness = (pcm: Float32Array) => Math.max(0, ...pcm)
  expect(decoder.conceal()).toHaveLength(0)
  expect(decoder.decode(Buffer.alloc(0))).toHaveLength(0)
  for (let tick = 0; tick < 20; tick++)
    opus.encode(tone(960, tick * 960), (data) => void decoder.decode(data))
  const gaps = Array.from({ length: 12 }, () => Float32Array.from(decoder.conceal()))
  for (const gap of gaps) expect(gap).toHaveLength(960)
  expect(loudness(gaps[0]!)).toBeGreaterThan(0.15)
  expect(loudness(gaps[11]!)).toBeLessThan(0.05)
  opus.close()
  decoder.close()
  decoder.close()
  expect(() => decoder.decode(Buffer.from([1, 2, 3]))).toThrow('closed')
})

test('an encoder can be closed by whoever gets its packet', () => {
  for (const encoder of [new OpusEncoder(0), new AacEncoder()]) {
    let packets = 0
    for (let turn = 0; turn < 4 && packets === 0; turn++)
      encoder.encode(new Float32Array(encoder.frameSamples), () => {
        packets++
        encoder.close()
      })
    expect(packets).toBe(1)
    expect(() => encoder.encode(new Float32Array(encoder.frameSamples), () => {})).toThrow('closed')
    encoder.flush(() => packets++)
    expect(packets).toBe(1)
    encoder.close()
  }
})
