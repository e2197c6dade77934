import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { H264RtpPayload, Vp8RtpPayload } from 'werift-rtp'
import type { VideoPacket } from '../receiving/video-packet.ts'
import type { PayloadSlot } from '../sending/payload-slot.ts'
import { assembleH264, h264StartsKeyframe, packetizeH264 } from './h264.ts'
import { assembleVp8, packetizeVp8, vp8StartsKeyframe } from './vp8.ts'

const MOST_BYTES = 100
/** So that what is written outside its place would be seen. */
const HEADER_BYTES = 7

/** Collects what a packetiser writes. */
function collect(packetize: (open: () => PayloadSlot) => void): Buffer[] {
  const slots: PayloadSlot[] = []
  packetize(() => {
    const bytes = Buffer.alloc(HEADER_BYTES + MOST_BYTES, 0xee)
    const slot = { bytes, start: HEADER_BYTES, length: 0 }
    slots.push(slot)
    return slot
  })
  for (const { bytes } of slots)
    expect(bytes.subarray(0, HEADER_BYTES)).toEqual(Buffer.alloc(HEADER_BYTES, 0xee))
  return slots.map(({ bytes, start, length }) => {
    expect(length).toBeLessThanOrEqual(MOST_BYTES)
    return bytes.subarray(start, start + length)
  })
}

/** As segmentation offload needs it: all of one size, but for a shorter last one. */
function expectEqualSizes(payloads: readonly Buffer[]): void {
  const [first = 0, ...sizes] = payloads.map(({ length }) => length)
  const last = sizes.pop() ?? first
  expect(sizes.every((size) => size === first)).toBe(true)
  expect(last).toBeLessThanOrEqual(first)
}

function asPackets(payloads: readonly Buffer[]): VideoPacket[] {
  return payloads.map((payload, index) => ({
    extended: index,
    buffer: Buffer.concat([Buffer.alloc(12), payload, Buffer.alloc(3)]),
    payloadStart: 12,
    payloadEnd: 12 + payload.length,
    timestamp: 0,
    marker: index === payloads.length - 1,
  }))
}

describe('VP8', () => {
  const frame = fc.uint8Array({ minLength: 1, maxLength: 1000 }).map((bytes) => Buffer.from(bytes))

  test('what is cut up is put together again, here and elsewhere', () => {
    fc.assert(
      fc.property(frame, fc.nat(0x7fff), (data, pictureId) => {
        const payloads = collect((open) => packetizeVp8(data, pictureId, MOST_BYTES, open))
        expectEqualSizes(payloads)
        expect(assembleVp8(asPackets(payloads))).toEqual({ data, keyframe: (data[0]! & 1) === 0 })
        const elsewhere = payloads.map((payload) => Vp8RtpPayload.deSerialize(payload))
        expect(Buffer.concat(elsewhere.map((part) => part.payload))).toEqual(data)
        expect(elsewhere.every((part) => part.pictureId === pictureId)).toBe(true)
        expect(elsewhere.map((part) => part.isPartitionHead)).toEqual(payloads.map((_, index) => index === 0))
        const [first] = asPackets(payloads)
        expect(vp8StartsKeyframe(first!.buffer, first!.payloadStart, first!.payloadEnd)).toBe(
          (data[0]! & 1) === 0,
        )
      }),
    )
  })

  test('descriptors with every optional field are passed over', () => {
    // X, then I (15 bits), L and T/K; I (7 bits) alone; none.
    const all = Buffer.from([0x90, 0xf0, 0x81, 0x23, 0x07, 0x20, 0xaa])
    const short = Buffer.from([0x90, 0x80, 0x05, 0xaa])
    const none = Buffer.from([0x10, 0xaa])
    for (const payload of [all, short, none]) {
      expect(assembleVp8(asPackets([payload]))?.data).toEqual(Buffer.from([0xaa]))
    }
  })

  test('a frame without its first packet is none', () => {
    const payloads = collect((open) => packetizeVp8(Buffer.alloc(500, 2), 1, MOST_BYTES, open))
    expect(assembleVp8(asPackets(payloads.slice(1)))).toBeNull()
    expect(assembleVp8([])).toBeNull()
  })
})

describe('H264', () => {
  /** A NAL unit that contains no start code and does not end in zero, as the encoder guarantees. */
  const nalUnit = (maxLength: number) =>
    fc
      .tuple(
        fc.constantFrom(0x61, 0x65, 0x67, 0x68, 0x06, 0x41),
        fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 1, maxLength }),
      )
      .map(([head, body]) => Buffer.from([head, ...body]))
  const unit = fc.oneof(nalUnit(20), nalUnit(400))
  const startCode = fc.constantFrom(Buffer.from([0, 0, 1]), Buffer.from([0, 0, 0, 1]))
  const annexB = (units: readonly Buffer[]) =>
    Buffer.concat(units.flatMap((each) => [Buffer.from([0, 0, 0, 1]), each]))

  test('what is cut up is put together again, here and elsewhere', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(startCode, unit), { minLength: 1, maxLength: 8 }), (parts) => {
        const units = parts.map(([, each]) => each)
        const payloads = collect((open) => packetizeH264(Buffer.concat(parts.flat()), MOST_BYTES, open))
        expect(assembleH264(asPackets(payloads))).toEqual({
          data: annexB(units),
          keyframe: units.some((each) => (each[0]! & 0x1f) === 5),
        })
        let fragment: Buffer | undefined
        const elsewhere = payloads.map((payload) => {
          const part = H264RtpPayload.deSerialize(payload, fragment)
          fragment = part.fragment
          return part.payload ?? Buffer.alloc(0)
        })
        expect(Buffer.concat(elsewhere)).toEqual(annexB(units))
      }),
    )
  })

  test('fragments of a unit have one size, but for the last', () => {
    fc.assert(
      fc.property(nalUnit(3000), (whole) => {
        const payloads = collect((open) => packetizeH264(annexB([whole]), MOST_BYTES, open))
        expectEqualSizes(payloads)
        expect(assembleH264(asPackets(payloads))?.data).toEqual(annexB([whole]))
      }),
    )
  })

  test('delimiters and filler stay at home', () => {
    const frame = annexB([
      Buffer.from([0x09, 0xf0]),
      Buffer.from([0x65, 1, 2]),
      Buffer.from([0x0c, 0xff, 0x80]),
    ])
    expect(collect((open) => packetizeH264(frame, MOST_BYTES, open))).toEqual([Buffer.from([0x65, 1, 2])])
  })

  test('a keyframe begins with its parameter sets, alone or aggregated', () => {
    const begins = (payload: number[]) => h264StartsKeyframe(Buffer.from(payload), 0, payload.length)
    expect(begins([0x67, 1])).toBe(true)
    expect(begins([0x78, 0, 2, 0x67, 1, 0, 2, 0x68, 1])).toBe(true)
    expect(begins([0x78, 0, 2, 0x06, 1, 0, 2, 0x67, 1])).toBe(true)
    expect(begins([0x65, 1])).toBe(false)
    expect(begins([0x78, 0, 2, 0x68, 1])).toBe(false)
    expect(begins([0x7c, 0x85, 1])).toBe(false)
    expect(begins([])).toBe(false)
  })

  test('fragments without a beginning, an end or a middle are no access unit', () => {
    const payloads = collect((open) => packetizeH264(annexB([Buffer.alloc(350, 0x65)]), MOST_BYTES, open))
    expect(payloads.length).toBe(4)
    expect(assembleH264(asPackets(payloads.slice(1)))).toBeNull()
    expect(assembleH264(asPackets(payloads.slice(0, 3)))).toBeNull()
    expect(assembleH264(asPackets([payloads[0]!, Buffer.from([0x41, 1]), payloads[3]!]))).toBeNull()
  })
})

test('nothing that arrives makes an assembler throw', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 5 }), (payloads) => {
      const packets = asPackets(payloads.map((payload) => Buffer.from(payload)))
      assembleVp8(packets)
      assembleH264(packets)
      for (const { buffer, payloadStart, payloadEnd } of packets) {
        vp8StartsKeyframe(buffer, payloadStart, payloadEnd)
        h264StartsKeyframe(buffer, payloadStart, payloadEnd)
      }
    }),
    { numRuns: 3000 },
  )
})
