import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RtpHeader, RtpPacket } from 'werift-rtp'
import { isRtcp, RtpPacketView } from './rtp-packet.ts'

const view = new RtpPacketView()

test('reads what another implementation writes', () => {
  fc.assert(
    fc.property(
      fc.record({
        payloadType: fc.nat(127),
        marker: fc.boolean(),
        sequenceNumber: fc.nat(0xffff),
        timestamp: fc.nat(0xffff_ffff),
        ssrc: fc.nat(0xffff_ffff),
        csrc: fc.array(fc.nat(0xffff_ffff), { maxLength: 15 }),
      }),
      fc.uint8Array({ maxLength: 300 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 14 }), { maxLength: 5 }),
      (fields, payload, ids) => {
        const extensions = ids.map((id) => ({ id, payload: Buffer.alloc((id % 16) + 1, id) }))
        const header = new RtpHeader({
          ...fields,
          extension: ids.length > 0,
          extensionProfile: 0xbede,
          extensions,
        })
        const packet = new RtpPacket(header, Buffer.from(payload)).serialize()
        expect(view.read(packet)).toBe(true)
        expect(view.payloadType).toBe(fields.payloadType)
        expect(view.marker).toBe(fields.marker)
        expect(view.sequence).toBe(fields.sequenceNumber)
        expect(view.timestamp).toBe(fields.timestamp)
        expect(view.ssrc).toBe(fields.ssrc)
        expect(packet.subarray(view.payloadStart, view.payloadEnd)).toEqual(Buffer.from(payload))
        for (const { id, payload: data } of extensions) {
          const at = view.extension(id)
          expect(packet.subarray(at, at + view.extensionLength)).toEqual(data)
        }
        expect(view.extension(15)).toBe(-1)
      },
    ),
  )
})

test('takes padding off and refuses more of it than there is packet', () => {
  const packet = Buffer.from('a060000100000002000000030a0b000003', 'hex')
  expect(view.read(packet)).toBe(true)
  expect(packet.subarray(view.payloadStart, view.payloadEnd)).toEqual(Buffer.from([0x0a, 0x0b]))
  packet[packet.length - 1] = 6
  expect(view.read(packet)).toBe(false)
})

test('finds two-byte header extensions', () => {
  const packet = Buffer.from('9060000100000002000000031000000205020102000701ff0099', 'hex')
  expect(view.read(packet)).toBe(true)
  expect(packet[view.extension(5)]).toBe(1)
  expect(view.extensionLength).toBe(2)
  expect(packet[view.extension(7)]).toBe(0xff)
  expect(view.extension(9)).toBe(-1)
})

test('nothing that arrives makes it throw or look outside the packet', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(15), (bytes, id) => {
      const packet = Buffer.from(bytes)
      if (packet.length > 0) packet[0] = 0x80 | (packet[0]! & 0x3f)
      if (!view.read(packet)) return
      expect(view.payloadStart).toBeLessThanOrEqual(view.payloadEnd)
      expect(view.payloadEnd).toBeLessThanOrEqual(packet.length)
      const at = view.extension(id)
      if (at >= 0) expect(at + view.extensionLength).toBeLessThanOrEqual(packet.length)
    }),
    { numRuns: 2000 },
  )
})

test('tells RTCP from RTP by what would be the payload type', () => {
  expect([72, 73, 74, 75, 76, 77, 78, 79].every((type) => isRtcp(Buffer.from([0x80, 0x80 | type])))).toBe(
    true,
  )
  expect([0, 63, 96, 111, 127].some((type) => isRtcp(Buffer.from([0x80, type])))).toBe(false)
})
