import { beforeEach, expect, test } from 'vitest'
import type { EncodedVideoFrame } from '../media-types.ts'
import { RtpPacketView } from './rtp/rtp-packet.ts'
import { VideoSender } from './sending/video-sender.ts'
import { VideoFanOut } from './video-fan-out.ts'
import type { WebRtcTransport } from './webrtc-transport.ts'

interface Sent {
  viewer: number
  timestamp: number
  sequence: number
  firstByte: number
}

let sent: Sent[]
let viewers: VideoSender[]
const asTransport = (videoSender: VideoSender) =>
  ({ videoSender, receivedVideoCodec: 'VP8' }) as unknown as WebRtcTransport

beforeEach(() => {
  sent = []
  viewers = [0, 1, 2].map((viewer) => {
    const view = new RtpPacketView()
    const sender: VideoSender = new VideoSender({
      send: (packet) => {
        view.read(packet)
        const timestamp = (view.timestamp - sender.stream.timestampOffset) >>> 0
        sent.push({ viewer, timestamp, sequence: view.sequence, firstByte: packet[view.payloadEnd - 1]! })
        return true
      },
    })
    sender.setConnected(true)
    return sender
  })
})

function frame(rtpTimestamp: number, bytes: number, keyframe = false, fill = 0): EncodedVideoFrame {
  return {
    encoding: 'VP8',
    data: Buffer.alloc(bytes, fill),
    keyframe,
    rtpTimestamp,
    capturedAtMs: rtpTimestamp / 90,
  }
}

/** Publishes, and waits until all slices are sent. A busy machine needs several. */
async function publish(fanOut: VideoFanOut, picture: EncodedVideoFrame): Promise<void> {
  fanOut.publish(picture)
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('a keyframe goes out in chunks, to each viewer in turn', async () => {
  const fanOut = new VideoFanOut('VP8', { onKeyframeNeeded: () => {} })
  for (const viewer of viewers) fanOut.add(asTransport(viewer))
  await publish(fanOut, frame(0, 40 * 1100, true))
  const runs: number[] = []
  sent.forEach(({ viewer }, i) => {
    if (viewer !== sent[i - 1]?.viewer) runs.push(0)
    runs[runs.length - 1]!++
  })
  expect(sent.length).toBeGreaterThanOrEqual(3 * 38)
  expect(runs.length).toBeGreaterThanOrEqual(12)
  for (const run of runs) expect(run).toBeLessThanOrEqual(10)
})

test('a viewer whose network is slow holds nobody up, and gets the rest with its own ticks', async () => {
  const fanOut = new VideoFanOut('VP8', { onKeyframeNeeded: () => {} })
  viewers[1]!.pacer.bps = 1_000_000
  for (const viewer of viewers) fanOut.add(asTransport(viewer))
  await publish(fanOut, frame(0, 40 * 1100, true))
  const count = (viewer: number) => sent.filter((packet) => packet.viewer === viewer).length
  expect(count(1)).toBeLessThan(8)
  expect(count(0)).toBe(count(2))
  const startMs = performance.now()
  for (let nowMs = startMs; nowMs < startMs + 500; nowMs += 10) viewers[1]!.tick(nowMs)
  expect(count(1)).toBe(count(0))
})

test('what a viewer could not be sent for long is left out up to a keyframe, which is asked for', async () => {
  let needed = 0
  const fanOut = new VideoFanOut('VP8', { onKeyframeNeeded: () => needed++ })
  const [viewer] = viewers as [VideoSender]
  fanOut.add(asTransport(viewer))
  await publish(fanOut, frame(0, 1000, true))
  viewer.pacer.bps = 0
  await publish(fanOut, frame(4500, 1000))
  const before = needed
  viewer.pacer.bps = 1_000_000
  viewer.tick(performance.now() + 5000)
  expect(needed).toBe(before + 1)
  await publish(fanOut, frame(9000, 1000))
  expect(sent).toHaveLength(1)
  await publish(fanOut, frame(13_500, 1000, true))
  expect(sent.map(({ timestamp }) => timestamp)).toEqual([0, 13_500])
})

test('who enters after a keyframe begins with it, unless pictures were left out since then', async () => {
  let needed = 0
  const fanOut = new VideoFanOut('VP8', { onKeyframeNeeded: () => needed++ })
  const [first, second, third] = viewers as [VideoSender, VideoSender, VideoSender]
  const seenBy = (of: number) => sent.flatMap(({ viewer, timestamp }) => (viewer === of ? [timestamp] : []))
  fanOut.add(asTransport(first))
  await publish(fanOut, frame(0, 500, true))
  await publish(fanOut, frame(4500, 500))
  fanOut.add(asTransport(second))
  second.tick(performance.now())
  await publish(fanOut, frame(9000, 500))
  expect([needed, seenBy(1)]).toEqual([1, [0, 4500, 9000]])
  for (const viewer of [first, second]) fanOut.remove(asTransport(viewer))
  await publish(fanOut, frame(13_500, 500))
  fanOut.add(asTransport(third))
  third.tick(performance.now())
  await publish(fanOut, frame(18_000, 500))
  expect([needed, seenBy(2)]).toEqual([2, []])
})

test('a viewer goes over to another stream with its keyframe, and its numbers and timestamps go on', async () => {
  let needed = 0
  const full = new VideoFanOut('VP8', { onKeyframeNeeded: () => {} })
  const small = new VideoFanOut('VP8', { onKeyframeNeeded: () => needed++ })
  const transport = asTransport(viewers[0]!)
  full.add(transport)
  full.add(asTransport(viewers[1]!))
  await publish(full, frame(0, 3000, true, 1))
  full.moveTo(small, transport)
  expect(needed).toBe(1)
  expect([full.size, small.size]).toEqual([1, 1])
  await publish(full, frame(4500, 3000, false, 1))
  viewers[0]!.tick(performance.now())
  await publish(small, frame(4500, 500, false, 2))
  await publish(full, frame(9000, 3000, false, 1))
  viewers[0]!.tick(performance.now())
  // Both show the same moment: it must not look like one picture to the browser.
  await publish(small, frame(9000, 500, true, 2))
  await publish(full, frame(13_500, 3000, false, 1))
  await publish(small, frame(13_500, 500, false, 2))
  viewers[0]!.tick(performance.now())
  const own = sent.filter(({ viewer }) => viewer === 0)
  const pictures = own.filter(({ timestamp }, i) => timestamp !== own[i - 1]?.timestamp)
  expect(pictures.map(({ timestamp, firstByte }) => [timestamp, firstByte])).toEqual([
    [0, 1],
    [4500, 1],
    [9000, 1],
    [9090, 2],
    [13_590, 2],
  ])
  expect(own.map(({ sequence }) => sequence)).toEqual(own.map((_, i) => (own[0]!.sequence + i) & 0xffff))
  await publish(full, frame(18_000, 3000, false, 1))
  small.remove(transport)
  await publish(small, frame(18_000, 500, false, 2))
  expect(sent.findLast(({ viewer }) => viewer === 0)!.timestamp).toBe(13_590)
})
