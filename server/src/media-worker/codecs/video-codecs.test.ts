import { expect, test } from 'vitest'
import { Picture } from './picture.ts'
import { Scaler } from './scaler.ts'
import { VideoDecoder } from './video-decoder.ts'
import { VideoEncoder } from './video-encoder.ts'

const OPTIONS = { width: 320, height: 180, fps: 20, bitrateBps: 500_000 }

function nalTypes(data: Buffer): number[] {
  const types: number[] = []
  for (let at = data.indexOf('000001', 0, 'hex'); at >= 0; at = data.indexOf('000001', at + 3, 'hex'))
    types.push(data[at + 3]! & 0x1f)
  return types
}

test('every H264 keyframe brings SPS and PPS, constrained baseline without B-frames', () => {
  const encoder = new VideoEncoder('H264', OPTIONS)
  const picture = new Picture(320, 180)
  for (let index = 0; index < 10; index++) {
    picture.fill({ y: 20 * index, u: 128, v: 128 })
    encoder.encode(picture, index * 4500, index === 6, (data, keyframe) => {
      const types = nalTypes(data)
      expect(keyframe).toBe(index === 0 || index === 6)
      if (!keyframe) return expect(types).toEqual([1])
      expect(types.slice(0, 2)).toEqual([7, 8])
      expect(types).toContain(5)
      // profile_idc 66 with constraint_set1_flag: what WebRTC calls 42e0.
      expect(data[5]).toBe(66)
      expect(data[6]! & 0x40).toBe(0x40)
    })
  }
  encoder.close()
  picture.free()
})

test('H264 in slices comes out in the same call, and can be decoded', () => {
  const encoder = new VideoEncoder('H264', { ...OPTIONS, slices: 2 })
  const decoder = new VideoDecoder('H264')
  const picture = new Picture(320, 180)
  for (let index = 0; index < 10; index++) {
    picture.fill({ y: 20 * index, u: 128, v: 128 })
    let packets = 0
    encoder.encode(picture, index * 4500, false, (data, keyframe) => {
      packets++
      expect(nalTypes(data).filter((type) => type === (keyframe ? 5 : 1))).toHaveLength(2)
      const decoded = decoder.decode(data)
      expect(decoder.damaged).toBe(false)
      expect(decoded).toMatchObject({ width: 320, height: 180 })
      decoded?.release()
    })
    expect(packets).toBe(1)
  }
  for (const part of [encoder, decoder]) part.close()
  picture.free()
})

test.each(['H264', 'VP8'] as const)(
  '%s: one packet out for one picture in, at about the rate asked for',
  (codec) => {
    const encoder = new VideoEncoder(codec, OPTIONS)
    const picture = new Picture(320, 180)
    let packets = 0
    let bytes = 0
    const run = (pictures: number) => {
      bytes = 0
      for (let index = 0; index < pictures; index++) {
        for (let row = 0; row < 180; row += 4)
          for (let column = 0; column < 320; column += 16) {
            const y = 16 + ((row * 7 + column * 13 + packets * 37) % 220)
            picture.fill({ y, u: 128, v: 128 }, { x: column, y: row, width: 16, height: 4 })
          }
        const before = packets
        encoder.encode(picture, before * 4500, false, (data) => {
          packets++
          bytes += data.length
        })
        expect(packets).toBe(before + 1)
      }
      return (bytes * 8 * 20) / pictures
    }
    run(20)
    expect(run(100)).toBeLessThan(650_000)
    if (codec === 'H264') {
      encoder.setBitrate(200_000)
      run(40)
      expect(run(100)).toBeLessThan(260_000)
    }
    encoder.close()
    picture.free()
  },
)

test('an encoder refuses a picture of another size, and any after its end', () => {
  const encoder = new VideoEncoder('H264', OPTIONS)
  const small = new Picture(318, 180)
  const picture = new Picture(320, 180)
  expect(() => encoder.encode(small, 0, false, () => {})).toThrow(RangeError)
  encoder.encode(picture, 0, false, () => {
    // The packet on loan stays valid until the sink returns.
    encoder.close()
    expect(() => encoder.encode(picture, 1, false, () => {})).toThrow('closed')
  })
  encoder.close()
  expect(() => encoder.encode(picture, 1, false, () => {})).toThrow('closed')
  small.free()
  picture.free()
})

test('pictures outlive their decoder, and are given back once', () => {
  const encoder = new VideoEncoder('VP8', OPTIONS)
  const picture = new Picture(320, 180)
  const scaler = new Scaler()
  const shown = new Picture(320, 180)
  picture.fill({ y: 200, u: 60, v: 60 })
  const decoder = new VideoDecoder('VP8')
  encoder.encode(picture, 0, true, (data) => {
    const decoded = decoder.decode(data)
    expect(decoder.decode(Buffer.alloc(0))).toBeNull()
    expect(decoder.damaged).toBe(false)
    decoder.close()
    decoder.close()
    scaler.scale(decoded!, shown)
    decoded?.release()
    expect(() => decoded?.release()).toThrow('twice')
    expect(() => decoder.decode(data)).toThrow('closed')
  })
  expect(Math.abs(shown.colourAt(100, 100).y - 200)).toBeLessThan(6)
  encoder.close()
  scaler.free()
  picture.free()
  shown.free()
})

test('a camera that claims to be enormous is refused before it takes memory', () => {
  const decoder = new VideoDecoder('VP8')
  const encoder = new VideoEncoder('VP8', OPTIONS)
  const picture = new Picture(320, 180)
  encoder.encode(picture, 0, true, (data) => {
    const lie = Buffer.from(data)
    // RFC 6386 section 9.1: 14 bits each of width and height after the start code.
    lie.writeUInt16LE(16383, 6)
    lie.writeUInt16LE(16383, 8)
    const before = process.memoryUsage.rss()
    expect(decoder.decode(lie)).toBeNull()
    expect(decoder.damaged).toBe(true)
    expect(process.memoryUsage.rss() - before).toBeLessThan(50 * 1024 * 1024)
    const decoded = decoder.decode(data)
    expect(decoded?.width).toBe(320)
    decoded?.release()
  })
  decoder.close()
  encoder.close()
  picture.free()
})
