import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  GenericNack,
  PictureLossIndication,
  ReceiverEstimatedMaxBitrate,
  RtcpPacketConverter,
  type RtcpPayloadSpecificFeedback,
  RtcpRrPacket,
  type RtcpSourceDescriptionPacket,
  RtcpSrPacket,
  type RtcpTransportLayerFeedback,
} from 'werift-rtp'
import { TransportFeedback } from '../receiving/transport-feedback.ts'
import { ntpWordsOf } from './ntp.ts'
import { type ReportBlock, type RtcpHandler, readRtcp } from './rtcp-reader.ts'
import { writeEstimatedBitrate, writeNack, writePictureLoss, writeReport } from './rtcp-writer.ts'

const ssrc = fc.integer({ min: 1, max: 0xffff_ffff })

/** Notes all that the reader calls. */
function recorder() {
  const seen = {
    senderReports: [] as { ssrc: number; ntpMs: number; ntpCompact: number; rtpTimestamp: number }[],
    blocks: [] as ReportBlock[],
    nacks: [] as [number, number][],
    keyframeRequests: [] as number[],
    bitrates: [] as number[],
    byes: [] as number[],
    arrivals: [] as { first: number; arrivedAtMs: number[] }[],
  }
  const handler: RtcpHandler = {
    onSenderReport: (from, ntpMs, ntpCompact, rtpTimestamp) =>
      seen.senderReports.push({ ssrc: from, ntpMs, ntpCompact, rtpTimestamp }),
    onReportBlock: (block) => seen.blocks.push({ ...block }),
    onNack: (media, sequence) => seen.nacks.push([media, sequence]),
    onKeyframeRequest: (media) => seen.keyframeRequests.push(media),
    onEstimatedBitrate: (bitrateBps) => seen.bitrates.push(bitrateBps),
    onBye: (from) => seen.byes.push(from),
    onArrivals: ({ first, count, arrivedAtMs }) =>
      seen.arrivals.push({ first, arrivedAtMs: [...arrivedAtMs.subarray(0, count)] }),
  }
  return { seen, handler }
}

const outgoingBlock = fc.record({
  ssrc,
  fractionLost: fc.nat(255),
  cumulativeLost: fc.integer({ min: -1000, max: 100_000 }),
  extendedHighestSequence: fc.nat(0xffff_ffff),
  jitter: fc.nat(100_000),
  lastSenderReport: fc.nat(0xffff_ffff),
  delaySinceLastSenderReport: fc.nat(0xffff_ffff),
})
const senderInfo = fc.record({
  ntpMs: fc.double({ min: 3.9e12, max: 4.2e12, noNaN: true }),
  rtpTimestamp: fc.nat(0xffff_ffff),
  packetCount: fc.nat(0xffff_ffff),
  octetCount: fc.nat(0xffff_ffff),
})

test('another implementation reads our reports, and so do we', () => {
  fc.assert(
    fc.property(
      ssrc,
      fc.option(senderInfo, { nil: null }),
      fc.array(outgoingBlock, { maxLength: 3 }),
      fc.stringMatching(/^[\w-]{1,20}$/),
      (from, sender, blocks, cname) => {
        const packet = writeReport(from, sender, blocks, cname)
        const [report, description] = RtcpPacketConverter.deSerialize(packet)
        expect(report).toBeInstanceOf(sender ? RtcpSrPacket : RtcpRrPacket)
        const { reports } = report as RtcpSrPacket | RtcpRrPacket
        expect(reports.map((each) => each.ssrc)).toEqual(blocks.map((block) => block.ssrc))
        const { chunks } = description as RtcpSourceDescriptionPacket
        expect(chunks[0]).toMatchObject({ source: from, items: [{ type: 1, text: cname }] })

        const { seen, handler } = recorder()
        readRtcp(packet, handler)
        expect(seen.blocks).toEqual(
          blocks.map((block) => ({
            ssrc: block.ssrc,
            fractionLost: block.fractionLost / 256,
            highestSequence: block.extendedHighestSequence,
            jitter: block.jitter,
            lastSenderReport: block.lastSenderReport,
            delaySinceLastSenderReport: block.delaySinceLastSenderReport,
          })),
        )
        expect(seen.senderReports).toHaveLength(sender ? 1 : 0)
        if (!sender) return
        const words = ntpWordsOf(sender.ntpMs)
        expect(seen.senderReports[0]?.ntpMs).toBeCloseTo(sender.ntpMs, 2)
        expect(seen.senderReports[0]?.ntpCompact).toBe(
          (((words.seconds & 0xffff) << 16) | (words.fraction >>> 16)) >>> 0,
        )
        expect(seen.senderReports[0]?.rtpTimestamp).toBe(sender.rtpTimestamp)
      },
    ),
  )
})

test('a NACK names each missing packet once', () => {
  fc.assert(
    fc.property(
      ssrc,
      fc.nat(0xffff),
      fc.uniqueArray(fc.nat(200), { minLength: 1, maxLength: 60 }),
      (media, first, offsets) => {
        const sequences = [...offsets].sort((a, b) => a - b).map((offset) => (first + offset) & 0xffff)
        const packet = writeNack(1, media, sequences)
        const { seen, handler } = recorder()
        readRtcp(packet, handler)
        expect(seen.nacks).toEqual(sequences.map((sequence) => [media, sequence]))
        const [feedback] = RtcpPacketConverter.deSerialize(packet)
        expect((feedback as RtcpTransportLayerFeedback).feedback).toBeInstanceOf(GenericNack)
        // The other implementation sorts by number and so does not follow the wrap.
        if (sequences[0]! <= sequences.at(-1)!) {
          expect(
            [...((feedback as RtcpTransportLayerFeedback).feedback as GenericNack).lost].sort(byNumber),
          ).toEqual([...sequences].sort(byNumber))
        }
      },
    ),
  )
})

const byNumber = (a: number, b: number) => a - b

test('picture loss and bitrate estimates are understood elsewhere', () => {
  const [pli] = RtcpPacketConverter.deSerialize(writePictureLoss(1, 77))
  expect((pli as RtcpPayloadSpecificFeedback).feedback).toBeInstanceOf(PictureLossIndication)
  expect((pli as RtcpPayloadSpecificFeedback).feedback).toMatchObject({ mediaSsrc: 77 })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), (bitrateBps) => {
      const packet = writeEstimatedBitrate(1, bitrateBps, [77])
      const [remb] = RtcpPacketConverter.deSerialize(packet)
      const { feedback } = remb as RtcpPayloadSpecificFeedback
      expect(feedback).toBeInstanceOf(ReceiverEstimatedMaxBitrate)
      const { seen, handler } = recorder()
      readRtcp(packet, handler)
      // 18 bits of mantissa.
      expect(Math.abs(seen.bitrates[0]! - bitrateBps)).toBeLessThanOrEqual(bitrateBps / 2 ** 16 + 1)
      expect((feedback as ReceiverEstimatedMaxBitrate).ssrcFeedbacks).toEqual([77])
    }),
  )
})

test('reports of arrivals are read as they were written', () => {
  const packets = fc.array(fc.record({ missing: fc.nat(3), laterMs: fc.integer({ min: 0, max: 3000 }) }), {
    minLength: 1,
    maxLength: 100,
  })
  fc.assert(
    fc.property(fc.nat(0xffff), packets, (first, all) => {
      const feedback = new TransportFeedback()
      const arrived = new Map<number, number>()
      let number = first
      let atMs = 5000
      for (const { missing, laterMs } of all) {
        number += missing + 1
        atMs += laterMs
        arrived.set(number & 0xffff, atMs)
        feedback.onPacket(number & 0xffff, atMs)
      }
      const { seen, handler } = recorder()
      for (let report = feedback.take(1, 2); report; report = feedback.take(1, 2)) readRtcp(report, handler)
      const read = new Map<number, number>()
      for (const report of seen.arrivals)
        report.arrivedAtMs.forEach((ms, i) => {
          if (!Number.isNaN(ms)) read.set((report.first + i) & 0xffff, ms)
        })
      expect([...read]).toEqual([...arrived])
    }),
  )
})

test('a report of more packets than anybody remembers is not read', () => {
  const { seen, handler } = recorder()
  // Run lengths of 8,191 packets that did not arrive, in 14 bytes.
  readRtcp(
    Buffer.from(`8fcd0008${'00000001'}${'00000002'}${'0000ffff'}${'00000100'}${'1fff'.repeat(8)}`, 'hex'),
    handler,
  )
  expect(seen.arrivals).toEqual([])
})

test('keyframe requests of both kinds and goodbyes are seen', () => {
  const { seen, handler } = recorder()
  const fullIntra = Buffer.from(
    '84ce0006' + '00000001' + '00000000' + '0000000501000000' + '0000000602000000',
    'hex',
  )
  const bye = Buffer.from('82cb00020000000700000008', 'hex')
  readRtcp(Buffer.concat([writePictureLoss(1, 4), fullIntra, bye]), handler)
  expect(seen.keyframeRequests).toEqual([4, 5, 6])
  expect(seen.byes).toEqual([7, 8])
})

test('nothing that arrives makes it throw', () => {
  const { handler } = recorder()
  const type = fc.constantFrom(200, 201, 202, 203, 204, 205, 206, 207)
  const piece = fc
    .tuple(fc.nat(31), type, fc.nat(12), fc.uint8Array({ maxLength: 60 }))
    .map(([count, kind, words, body]) =>
      Buffer.concat([Buffer.from([0x80 | count, kind, 0, words]), Buffer.from(body)]),
    )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => readRtcp(Buffer.concat(pieces), handler)),
    { numRuns: 3000 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => readRtcp(Buffer.from(bytes), handler)),
    { numRuns: 1000 },
  )
})
