import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { AacEncoder, OpusEncoder } from './audio-encoder.ts'
import { OpusDecoder } from './opus-decoder.ts'

async function readyDecoder(): Promise<OpusDecoder> {
  const decoder = new OpusDecoder()
  await nextTurn()
  return decoder
}

function tone(samples: number, from: number): Float32Array {
  return Float32Array.from(
    { length: samples },
    (_, index) => 0.3 * Math.sin(((from + index) * 2 * Math.PI * 440) / 48_000),
  )
}

test('Opus takes and gives 20 ms, AAC takes 1024 samples, and nothing else', async () => {
  const opus = new OpusEncoder({ expectedLossPercent: 10, packetMs: 20 })
  const aac = new AacEncoder()
  expect(opus.frameSamples).toBe(960)
  expect(aac.frameSamples).toBe(1024)
  // AudioSpecificConfig (ISO/IEC 14496-3 section 1.6.2.1): AAC-LC, 48 kHz, one channel.
  expect(aac.header.subarray(0, 2)).toEqual(Buffer.from([0x11, 0x88]))
  expect(() => opus.encode(new Float32Array(959), () => {})).toThrow(RangeError)
  const decoder = await readyDecoder()
  let samples = 0
  for (let tick = 0; tick < 10; tick++)
    opus.encode(tone(960, tick * 960), (data) => (samples += decoder.decode(data).length))
  expect(samples).toBe(9600)
  opus.close()
  aac.close()
  decoder.close()
})

test('a gap is concealed with sound that fades, from the first good packet on', async () => {
  const opus = new OpusEncoder({ expectedLossPercent: 0, packetMs: 20 })
  const decoder = await readyDecoder()
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

/** Something like speech: pulses of a gliding pitch that ring in two resonances, in syllables. */
function speech(samples: number): Float32Array {
  const resonances = [700, 1800].map((frequency) => {
    const decay = Math.exp((-Math.PI * 90) / 48_000)
    return { a: 2 * decay * Math.cos((2 * Math.PI * frequency) / 48_000), b: -(decay ** 2), y1: 0, y2: 0 }
  })
  let phase = 0
  return Float32Array.from({ length: samples }, (_, index) => {
    const seconds = index / 48_000
    phase += (130 + 40 * Math.sin(4.4 * seconds)) / 48_000
    const pulse = phase >= 1 ? 1 : 0
    phase %= 1
    let sum = 0
    for (const resonance of resonances) {
      const y = pulse + resonance.a * resonance.y1 + resonance.b * resonance.y2
      resonance.y2 = resonance.y1
      resonance.y1 = y
      sum += y
    }
    return 0.02 * sum * Math.sqrt(Math.max(0, Math.sin(15.7 * seconds)))
  })
}

/** How far the energy of `pcm` lies above that of its difference to `original`, dB. */
function likeness(pcm: Float32Array, original: Float32Array): number {
  let energy = 0
  let difference = 0
  for (const [index, sample] of original.entries()) {
    energy += sample ** 2
    difference += (pcm[index]! - sample) ** 2
  }
  return 10 * Math.log10(energy / difference)
}

test('a lost packet is recovered from the redundancy in the next one, and concealed where there is none', async () => {
  const PACKETS = 500
  const pcm = speech(960 * PACKETS)
  /** Of the lost packets, as the decoder that got all of them heard them. */
  const recovered = async (expectedLossPercent: number, kind: 'recover' | 'conceal') => {
    const encoder = new OpusEncoder({ expectedLossPercent, packetMs: 20 })
    const packets: Buffer[] = []
    for (let at = 0; at < pcm.length; at += 960)
      encoder.encode(pcm.subarray(at, at + 960), (data) => packets.push(Buffer.from(data)))
    encoder.close()
    const [whole, lossy] = [await readyDecoder(), await readyDecoder()]
    const original: number[] = []
    const heard: number[] = []
    for (const [index, packet] of packets.entries()) {
      const expected = whole.decode(packet)
      const next = packets[index + 1]
      const lost = index % 10 === 5 && next
      if (lost) {
        original.push(...expected)
        heard.push(...(kind === 'recover' ? lossy.recover(next) : lossy.conceal()))
      } else lossy.decode(packet)
    }
    whole.close()
    lossy.close()
    expect(heard).toHaveLength(original.length)
    return likeness(Float32Array.from(heard), Float32Array.from(original))
  }
  const concealed = await recovered(25, 'conceal')
  expect(await recovered(25, 'recover')).toBeGreaterThan(concealed + 4)
  expect(await recovered(0, 'recover')).toBeCloseTo(await recovered(0, 'conceal'), 3)
})

test('an encoder can be closed by whoever gets its packet', () => {
  for (const encoder of [new OpusEncoder({ expectedLossPercent: 0, packetMs: 20 }), new AacEncoder()]) {
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
