import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { packetizeH264 } from '../rtp/h264.ts'
import { RtpPacketView } from '../rtp/rtp-packet.ts'
import { packetizeVp8 } from '../rtp/vp8.ts'
import { prepareVideoHeader, VIDEO_HEADER_BYTES, writeVideoHeader } from '../sending/video-header.ts'
import { type AssembledFrame, VideoAssembler } from './video-assembler.ts'

const FIRST = 70_000

interface Sent {
  extended: number
  packet: Buffer
}

/** A camera of VP8 frames; frame `i` is filled with `i`, so that mixed-up frames would show. */
function vp8Stream(count: number, isKeyframe: (index: number) => boolean, packetsPerFrame = 3): Sent[][] {
  let extended = FIRST
  return Array.from({ length: count }, (_, index) => {
    const data = Buffer.alloc(packetsPerFrame * 90, index & 0xff)
    data[0] = isKeyframe(index) ? 0 : 1
    const slots: { bytes: Buffer; start: number; length: number }[] = []
    packetizeVp8(data, index, 94, () => {
      const slot = { bytes: Buffer.alloc(VIDEO_HEADER_BYTES + 94), start: VIDEO_HEADER_BYTES, length: 0 }
      slots.push(slot)
      return slot
    })
    return slots.map(({ bytes, length }, part) => {
      prepareVideoHeader(bytes)
      writeVideoHeader(bytes, 96, part === slots.length - 1, extended & 0xffff, index * 4500, 1, 0, 0)
      return { extended: extended++, packet: bytes.subarray(0, VIDEO_HEADER_BYTES + length) }
    })
  })
}

let frames: AssembledFrame[]
let keyframesNeeded: number
let assembler: VideoAssembler

beforeEach(() => {
  frames = []
  keyframesNeeded = 0
  assembler = new VideoAssembler('VP8', {
    onFrame: (frame) => frames.push(frame),
    onKeyframeNeeded: () => keyframesNeeded++,
  })
})

function push({ extended, packet }: Sent, codec: 'VP8' | 'H264' = 'VP8'): void {
  const view = new RtpPacketView()
  expect(view.read(packet)).toBe(true)
  assembler.push(codec, extended, view, view.payloadStart)
}

const shown = () => frames.map((frame) => frame.rtpTimestamp / 4500)
const firstOnly = (index: number) => index === 0

describe('a stream without loss', () => {
  test('comes out frame by frame, whole', () => {
    const stream = vp8Stream(10, firstOnly)
    for (const frame of stream) for (const packet of frame) push(packet)
    expect(shown()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(frames.map((frame) => frame.keyframe)).toEqual([true, ...new Array(9).fill(false)])
    frames.forEach((frame, index) => {
      expect(frame.data.length).toBe(270)
      expect(frame.data.subarray(1).every((byte) => byte === index)).toBe(true)
    })
    expect(keyframesNeeded).toBe(0)
  })

  test('comes out the same from any order of arrival', () => {
    const stream = vp8Stream(8, firstOnly).flat()
    fc.assert(
      fc.property(fc.shuffledSubarray(stream, { minLength: stream.length }), (shuffled) => {
        frames = []
        assembler.reset()
        for (const packet of shuffled) push(packet)
        expect(shown()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
      }),
    )
  })

  test('may leave out marker bits and put padding between frames', () => {
    const [first, second, third] = vp8Stream(3, firstOnly, 1)
    for (const packet of [...first!, ...second!]) packet.packet[1]! &= 0x7f
    const padding = {
      extended: second![0]!.extended,
      packet: Buffer.from(second![0]!.packet.subarray(0, VIDEO_HEADER_BYTES)),
    }
    push(first![0]!)
    push(padding)
    push({ ...second![0]!, extended: padding.extended + 1 })
    push({ ...third![0]!, extended: padding.extended + 2 })
    expect(shown()).toEqual([0, 1, 2])
  })
})

describe('loss', () => {
  test('holds frames back until the packet comes again', () => {
    const stream = vp8Stream(4, firstOnly)
    const lost = stream[1]![1]!
    for (const packet of stream.flat()) if (packet !== lost) push(packet)
    expect(shown()).toEqual([0])
    push(lost)
    expect(shown()).toEqual([0, 1, 2, 3])
    expect(keyframesNeeded).toBe(0)
  })

  test('that stays shows nothing until a keyframe', () => {
    const stream = vp8Stream(6, (index) => index === 0 || index === 4)
    const lost = stream[1]![1]!
    for (const packet of stream.slice(0, 4).flat()) if (packet !== lost) push(packet)
    assembler.onLost(lost.extended)
    expect(keyframesNeeded).toBe(1)
    expect(assembler.waitingForKeyframe).toBe(true)
    for (const packet of stream.slice(4).flat()) push(packet)
    expect(shown()).toEqual([0, 4, 5])
    expect(assembler.waitingForKeyframe).toBe(false)
  })

  test('is forgotten as soon as a later keyframe is whole', () => {
    const stream = vp8Stream(6, (index) => index === 0 || index === 4)
    const lost = stream[1]![1]!
    for (const packet of stream.flat()) if (packet !== lost) push(packet)
    expect(shown()).toEqual([0, 4, 5])
    push(lost)
    assembler.onLost(lost.extended)
    expect(shown()).toEqual([0, 4, 5])
    expect(keyframesNeeded).toBe(0)
  })

  test('within the awaited keyframe asks for another', () => {
    const stream = vp8Stream(8, (index) => index === 2 || index === 5)
    const lost = stream[2]![1]!
    for (const packet of stream.slice(0, 4).flat()) if (packet !== lost) push(packet)
    expect(shown()).toEqual([])
    assembler.onLost(lost.extended)
    expect(keyframesNeeded).toBe(1)
    for (const packet of stream.slice(4).flat()) push(packet)
    expect(shown()).toEqual([5, 6, 7])
  })

  test('of any packets, some of them repaired, never shows a frame without what it depends on', () => {
    const isKeyframe = (index: number) => index % 7 === 0
    const stream = vp8Stream(40, isKeyframe)
    const all = stream.flat()
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(all.length - 1), { maxLength: 25 }),
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        (lost, repairedAfter, repair) => {
          frames = []
          assembler.reset()
          const due: { at: number; index: number }[] = []
          all.forEach((packet, index) => {
            if (lost.includes(index)) due.push({ at: index + repairedAfter, index })
            else push(packet)
            for (const { index: missing } of due.filter(({ at }) => at === index)) {
              if (repair && missing % 2 === 0) push(all[missing]!)
              else assembler.onLost(all[missing]!.extended)
            }
          })
          let before = -1
          for (const index of shown()) {
            expect(index > before).toBe(true)
            if (!isKeyframe(index)) expect(index).toBe(before + 1)
            before = index
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  test('that nobody tells does not block for ever', () => {
    const stream = vp8Stream(600, (index) => index === 0 || index === 500)
    const lost = stream[1]![0]!
    for (const packet of stream.slice(0, 400).flat()) if (packet !== lost) push(packet)
    expect(shown()).toEqual([0])
    expect(keyframesNeeded).toBe(1)
    for (const packet of stream.slice(400).flat()) push(packet)
    expect(shown().slice(0, 3)).toEqual([0, 500, 501])
    expect(shown().at(-1)).toBe(599)
  })
})

test('another codec on the same line begins with a keyframe of its own', () => {
  for (const packet of vp8Stream(2, firstOnly).flat()) push(packet)
  const slots: { bytes: Buffer; start: number; length: number }[] = []
  const picture = Buffer.from([0, 0, 0, 1, 0x67, 9, 9, 0, 0, 0, 1, 0x68, 9, 0, 0, 0, 1, 0x65, 1, 2, 3])
  packetizeH264(picture, 94, () => {
    const slot = { bytes: Buffer.alloc(VIDEO_HEADER_BYTES + 94), start: VIDEO_HEADER_BYTES, length: 0 }
    slots.push(slot)
    return slot
  })
  expect(slots).toHaveLength(1)
  const { bytes, length } = slots[0]!
  prepareVideoHeader(bytes)
  writeVideoHeader(bytes, 102, true, 1, 9000, 1, 0, 0)
  push({ extended: FIRST + 6, packet: bytes.subarray(0, VIDEO_HEADER_BYTES + length) }, 'H264')
  expect(frames.at(-1)).toMatchObject({ codec: 'H264', keyframe: true, data: picture })
  expect(keyframesNeeded).toBe(1)
})
