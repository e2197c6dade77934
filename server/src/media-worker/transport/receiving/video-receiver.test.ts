import { expect, test } from 'vitest'
import type { ReceivedVideoFrame } from '../../media-types.ts'
import { RtpPacketView } from '../rtp/rtp-packet.ts'
import { packetizeVp8 } from '../rtp/vp8.ts'
import { prepareVideoHeader, VIDEO_HEADER_BYTES, writeVideoHeader } from '../sending/video-header.ts'
import { SenderClock } from './sender-clock.ts'
import { VideoReceiver } from './video-receiver.ts'

const SSRC = 77
/** A usual camera, and one of a still picture. */
const USUAL = { framesPerSecond: 30, packetsPerFrame: 3 }
const SLOW = { framesPerSecond: 15, packetsPerFrame: 1 }
const TRANSIT_MS = 50
const ROUND_TRIP_MS = 100

function packetsOf(frame: number, { framesPerSecond, packetsPerFrame }: typeof USUAL): Buffer[] {
  const data = Buffer.alloc(packetsPerFrame * 90, frame & 0xff)
  // RFC 6386 section 9.1: the lowest bit of a keyframe is 0.
  data[0] = frame === 0 ? 0 : 1
  const slots: { bytes: Buffer; start: number; length: number }[] = []
  packetizeVp8(data, frame, 94, () => {
    const slot = { bytes: Buffer.alloc(VIDEO_HEADER_BYTES + 94), start: VIDEO_HEADER_BYTES, length: 0 }
    slots.push(slot)
    return slot
  })
  return slots.map(({ bytes, length }, part) => {
    prepareVideoHeader(bytes)
    const isLast = part === slots.length - 1
    const sequence = (frame * packetsPerFrame + part) & 0xffff
    writeVideoHeader(bytes, 96, isLast, sequence, (frame * 90_000) / framesPerSecond, SSRC, 0, 0)
    return bytes.subarray(0, VIDEO_HEADER_BYTES + length)
  })
}

/**
 * A browser beyond a network which loses packets, and sends again what it is asked for.
 * @param isLost by the number of the packet
 */
function film(
  seconds: number,
  isLost: (packet: number) => boolean,
  source: typeof USUAL = USUAL,
): ReceivedVideoFrame[] {
  const frames: ReceivedVideoFrame[] = []
  const sent = new Map<number, Buffer>()
  const arrivals: { atMs: number; packet: Buffer }[] = []
  let nowMs = 0
  const camera = new VideoReceiver(1, new SenderClock(), {
    onFrame: (frame) => frames.push(frame),
    sendControl: (control) => {
      // Generic NACKs alone (RFC 4585 section 6.2.1).
      if ((control[0]! & 31) !== 1 || control[1] !== 205) return
      for (let at = 12; at < control.length; at += 4) {
        const first = control.readUInt16BE(at)
        const more = control.readUInt16BE(at + 2)
        for (let bit = -1; bit < 16; bit++) {
          const packet = bit < 0 || more & (1 << bit) ? sent.get((first + bit + 1) & 0xffff) : undefined
          if (packet) arrivals.push({ atMs: nowMs + ROUND_TRIP_MS, packet })
        }
      }
    },
  })
  const view = new RtpPacketView()
  let captured = 0
  for (; nowMs < seconds * 1000; nowMs++) {
    for (; (captured * 1000) / source.framesPerSecond <= nowMs; captured++) {
      const first = captured * source.packetsPerFrame
      for (const [part, packet] of packetsOf(captured, source).entries()) {
        sent.set((first + part) & 0xffff, packet)
        // The stream's first packet tells that there is one.
        if (first + part === 0 || !isLost(first + part)) arrivals.push({ atMs: nowMs + TRANSIT_MS, packet })
      }
    }
    const come = arrivals.filter(({ atMs }) => atMs <= nowMs)
    for (const arrival of come) {
      arrivals.splice(arrivals.indexOf(arrival), 1)
      view.read(arrival.packet)
      camera.onPacket(view, 'VP8', nowMs)
    }
    if (nowMs % 10 === 0) camera.tick(nowMs, ROUND_TRIP_MS)
  }
  return frames
}

/** The same ones in every run. */
function oneIn(count: number): (packet: number) => boolean {
  let seed = 9
  return () => {
    seed = (seed * 48_271) % 0x7fffffff
    return seed % count === 0
  }
}

/** Share of the frames that came after the moment at which they should be shown. */
function lateShare(frames: readonly ReceivedVideoFrame[], dueAfterMs: (frame: number) => number): number {
  const late = frames.filter(({ arrivedAtMs }, index) => arrivedAtMs > dueAfterMs(index) + 0.5)
  return late.length / frames.length
}

test('on a good network pictures are due when they arrive', () => {
  const frames = film(20, () => false)
  expect(frames.length).toBeGreaterThan(590)
  for (const { arrivedAtMs, dueAtMs } of frames) expect(dueAtMs).toBe(arrivedAtMs)
})

test('where packets are lost and come again, all pictures are due so late that hardly any misses it', () => {
  const frames = film(60, oneIn(20))
  expect(frames.length).toBeGreaterThan(1700)
  const settled = frames.slice(300)
  const holds = settled.map(({ dueAtMs, rtpTimestamp }) => dueAtMs - rtpTimestamp / 90)
  const sorted = [...holds].sort((a, b) => a - b)
  const usual = sorted[Math.floor(sorted.length / 2)]!
  // Every seventh frame has lost something, and those behind it wait with it.
  expect(lateShare(settled, (index) => settled[index]!.rtpTimestamp / 90 + TRANSIT_MS + 20)).toBeGreaterThan(
    0.2,
  )
  expect(lateShare(settled, (index) => settled[index]!.rtpTimestamp / 90 + usual)).toBeLessThan(0.03)
  expect(usual - TRANSIT_MS).toBeLessThan(250)
  // And they are evenly spaced.
  const steady = holds.filter((hold) => Math.abs(hold - usual) < 25)
  expect(steady.length / holds.length).toBeGreaterThan(0.95)
})

test('the few packets of a slow camera are waited for as well', () => {
  const frames = film(60, oneIn(20), SLOW).slice(225)
  expect(frames.length).toBeGreaterThan(600)
  const holds = frames.map(({ dueAtMs, rtpTimestamp }) => dueAtMs - rtpTimestamp / 90 - TRANSIT_MS)
  expect(Math.min(...holds)).toBeGreaterThan(100)
  expect(Math.max(...holds)).toBeLessThan(300)
})

test('pictures hurry again once nothing is lost any more', () => {
  const lossy = oneIn(20)
  const frames = film(50, (packet) => packet < 15 * 90 && lossy(packet))
  const last = frames.at(-1)!
  expect(last.dueAtMs).toBe(last.arrivedAtMs)
  const during = frames.find(({ rtpTimestamp }) => rtpTimestamp > 12 * 90_000)!
  expect(during.dueAtMs).toBeGreaterThan(during.arrivedAtMs)
})

test('a sender that leaps from stream to stream is not followed', () => {
  const frames: ReceivedVideoFrame[] = []
  const camera = new VideoReceiver(1, new SenderClock(), {
    onFrame: (frame) => frames.push(frame),
    sendControl: () => {},
  })
  const view = new RtpPacketView()
  const [packet] = packetsOf(0, SLOW)
  for (let ssrc = 1; ssrc <= 1000; ssrc++) {
    const other = Buffer.from(packet!)
    other.writeUInt32BE(ssrc, 8)
    view.read(other)
    camera.onPacket(view, 'VP8', ssrc)
  }
  expect(frames.length).toBeLessThan(8)
  expect(camera.streams.current?.ssrc).toBeLessThan(10)
})
