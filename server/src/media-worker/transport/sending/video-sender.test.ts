import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { RtpPacketView } from '../rtp/rtp-packet.ts'
import { type HistorySlot, PacketHistory } from './packet-history.ts'
import { prepareVideoHeader, VIDEO_HEADER_BYTES } from './video-header.ts'
import { VideoSender } from './video-sender.ts'
import type { VideoSource } from './video-source.ts'

/** A source of one-packet frames whose payload is their number. */
class Source implements VideoSource {
  readonly history = new PacketHistory()
  keyframesNeeded = 0
  recentKeyframe: number | null = null

  get end(): number {
    return this.history.end
  }

  find(sequence: number): HistorySlot | null {
    return this.history.find(sequence)
  }

  onKeyframeNeeded(): void {
    this.keyframesNeeded++
  }

  next(beginsKeyframe = false): HistorySlot {
    const slot = this.history.open()
    slot.length = 4
    slot.bytes.writeUInt32BE(slot.sequence, slot.start)
    slot.packet = slot.bytes.subarray(0, VIDEO_HEADER_BYTES + slot.length)
    Object.assign(slot, {
      beginsKeyframe,
      marker: true,
      timestamp: slot.sequence * 4500,
      sendTime: slot.sequence,
      capturedAtMs: 1,
    })
    prepareVideoHeader(slot.bytes)
    return slot
  }
}

let sent: Buffer[]
let source: Source
let sender: VideoSender

beforeEach(() => {
  sent = []
  source = new Source()
  sender = new VideoSender({ send: (packet) => sent.push(Buffer.from(packet)) > 0 })
  sender.stream.payloadType = 102
})

/** Sends all that is new in the source. */
function send(_newest: HistorySlot): void {
  while (sender.sendChunk(0));
}

function parsed(packet: Buffer): RtpPacketView {
  const view = new RtpPacketView()
  expect(view.read(packet)).toBe(true)
  return view
}

const payloadOf = (packet: Buffer) => packet.readUInt32BE(parsed(packet).payloadStart)

describe('the first packets', () => {
  test('wait for the connection and for a keyframe, which is asked for', () => {
    sender.attach(source)
    expect(source.keyframesNeeded).toBe(0)
    send(source.next(true))
    sender.setConnected(true)
    expect(source.keyframesNeeded).toBe(1)
    send(source.next())
    expect(sent).toEqual([])
    send(source.next(true))
    send(source.next())
    expect(sent.map(payloadOf)).toEqual([2, 3])
  })

  test('after a new source go on with the numbers of the one before', () => {
    sender.setConnected(true)
    sender.attach(source)
    for (let i = 0; i < 5; i++) send(source.next(i === 0))
    const other = new Source()
    for (let i = 0; i < 40; i++) other.next()
    sender.attach(other)
    expect(other.keyframesNeeded).toBe(1)
    send(other.next())
    send(other.next(true))
    const numbers = sent.map((packet) => parsed(packet).sequence)
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0]! + index) & 0xffff))
    expect(sent.map(payloadOf)).toEqual([0, 1, 2, 3, 4, 41])
  })
})

describe('headers', () => {
  test('carry the browser’s own numbers, and the time of sending where it takes it', () => {
    sender.sendTimeExtensionId = 3
    sender.setConnected(true)
    sender.attach(source)
    const slot = source.next(true)
    slot.timestamp = 0xffff_ff00
    slot.sendTime = 0xabcdef
    send(slot)
    const view = parsed(sent[0]!)
    expect(view.payloadType).toBe(102)
    expect(view.marker).toBe(true)
    expect(view.ssrc).toBe(sender.stream.ssrc)
    expect(view.timestamp).toBe((0xffff_ff00 + sender.stream.timestampOffset) % 2 ** 32)
    expect(view.buffer.readUIntBE(view.extension(3), 3)).toBe(0xabcdef)
    expect(view.extensionLength).toBe(3)
  })

  test('without it are well formed too', () => {
    sender.setConnected(true)
    sender.attach(source)
    send(source.next(true))
    const view = parsed(sent[0]!)
    for (let id = 1; id < 15; id++) expect(view.extension(id)).toBe(-1)
    expect(view.payloadLength).toBe(4)
  })
})

describe('the delay until pictures are shown', () => {
  const delaysOf = (packet: Buffer) => {
    const view = parsed(packet)
    const at = view.extension(5)
    return at < 0
      ? null
      : { leastMs: view.buffer.readUIntBE(at, 3) >> 12, mostMs: view.buffer.readUIntBE(at, 3) & 0xfff }
  }

  beforeEach(() => {
    sender.playoutDelayExtensionId = 5
    sender.retransmissionPayloadType = 103
    sender.setConnected(true)
    sender.attach(source)
  })

  test('is not spoken of before packets are lost, and taken back after', () => {
    sender.setPlayoutDelay(0)
    send(source.next(true))
    sender.setPlayoutDelay(320)
    send(source.next())
    sender.onNack(parsed(sent[0]!).sequence, 1000)
    sender.setPlayoutDelay(0)
    send(source.next())
    // In units of 10 ms.
    expect(sent.map(delaysOf)).toEqual([
      null,
      { leastMs: 32, mostMs: 1000 },
      { leastMs: 32, mostMs: 1000 },
      { leastMs: 0, mostMs: 1000 },
    ])
    expect(parsed(sent[2]!).payloadType).toBe(103)
  })

  test('is left alone where a browser does not know of it, or takes no RTX', () => {
    sender.playoutDelayExtensionId = 0
    sender.setPlayoutDelay(320)
    send(source.next(true))
    sender.playoutDelayExtensionId = 5
    sender.retransmissionPayloadType = 0
    sender.setPlayoutDelay(0)
    sender.setPlayoutDelay(400)
    expect(delaysOf(sent[0]!)).toBe(null)
  })
})

describe('a missing packet', () => {
  beforeEach(() => {
    sender.setConnected(true)
    sender.attach(source)
    for (let i = 0; i < 30; i++) send(source.next(i === 10))
  })

  test('is sent again at once and a little later, byte for byte where the browser takes no RTX', () => {
    const lost = sent[5]!
    sent.length = 0
    sender.onNack(parsed(lost).sequence, 1000)
    sender.tick(1019)
    expect(sent).toEqual([lost])
    sender.tick(1020)
    expect(sent).toEqual([lost, lost])
    sender.tick(1100)
    expect(sender.retransmitted).toBe(2)
  })

  test('is sent only once more where the way is clogged', () => {
    const lost = sent[5]!
    sent.length = 0
    sender.stream.fractionLost = 0.3
    sender.onNack(parsed(lost).sequence, 1000)
    sender.tick(1100)
    expect(sent).toEqual([lost])
  })

  test('is sent in a stream of its own where it takes RTX', () => {
    sender.retransmissionPayloadType = 103
    const lost = parsed(Buffer.from(sent[5]!))
    sent.length = 0
    sender.onNack(lost.sequence, 1000)
    sender.tick(1020)
    const [first, second] = sent.map(parsed)
    expect(first).toMatchObject({
      payloadType: 103,
      ssrc: sender.retransmissions.ssrc,
      timestamp: lost.timestamp,
    })
    expect(second!.sequence).toBe((first!.sequence + 1) & 0xffff)
    expect(first!.buffer.readUInt16BE(first!.payloadStart)).toBe(lost.sequence)
    expect(first!.buffer.subarray(first!.payloadStart + 2)).toEqual(lost.buffer.subarray(lost.payloadStart))
  })

  test('that this browser was never sent, or that is too old, is not sent', () => {
    const first = parsed(sent[0]!).sequence
    const last = parsed(sent.at(-1)!).sequence
    for (let i = 0; i < 1100; i++) send(source.next())
    sent.length = 0
    sender.onNack((first - 1) & 0xffff, 1000)
    sender.onNack(first, 1000)
    sender.onNack((last + 5000) & 0xffff, 1000)
    expect(sent).toEqual([])
  })

  test('from before a new beginning is not mixed up with what came after', () => {
    const before = parsed(sent.at(-1)!).sequence
    sender.setConnected(false)
    for (let i = 0; i < 7; i++) send(source.next())
    sender.setConnected(true)
    send(source.next(true))
    send(source.next())
    sent.length = 0
    sender.onNack(before, 1000)
    expect(sent).toEqual([])
    sender.onNack((before + 1) & 0xffff, 1000)
    sender.tick(1020)
    expect(sent.map(payloadOf)).toEqual([37, 37])
  })

  test('whatever is asked for, what is sent is what that number stood for', () => {
    const byNumber = new Map(sent.map((packet) => [parsed(packet).sequence, packet]))
    fc.assert(
      fc.property(fc.nat(0xffff), (sequence) => {
        sent.length = 0
        sender.onNack(sequence, 1000)
        sender.tick(2000)
        for (const packet of sent) expect(packet).toEqual(byNumber.get(sequence))
      }),
    )
  })

  test('asked for in a flood is not a way to make us flood', () => {
    const number = parsed(sent[5]!).sequence
    sent.length = 0
    for (let i = 0; i < 100_000; i++) sender.onNack(number, 1000)
    sender.tick(1020)
    expect(sent.length).toBeLessThanOrEqual(520)
    sent.length = 0
    for (let i = 0; i < 100_000; i++) sender.onNack(number, 2000)
    expect(sent.length).toBeGreaterThan(400)
  })
})

test('ticks are asked for while something waits, and no longer', () => {
  let asked = 0
  sender = new VideoSender({ send: () => true, onPending: () => asked++ })
  sender.setConnected(true)
  sender.attach(source)
  send(source.next(true))
  expect([asked, sender.isPending]).toEqual([0, false])
  // The pacer holds a packet back.
  sender.pacer.pause(100)
  send(source.next())
  expect([asked, sender.isPending]).toEqual([1, true])
  sender.tick(100)
  expect(sender.isPending).toBe(false)
  // A second copy is due later.
  const { packets } = sender.stream
  for (let sequence = 0; sequence < 0x10000; sequence++) sender.onNack(sequence, 200)
  expect([asked, sender.isPending]).toEqual([1 + packets, true])
  sender.tick(220)
  expect(sender.isPending).toBe(false)
  // What the old source still sends goes on until the keyframe of the new one.
  const other = new Source()
  sender.switchTo(other)
  expect([asked, sender.isPending]).toEqual([2 + packets, true])
  other.next(true)
  sender.tick(300)
  expect(sender.isPending).toBe(false)
})

test('somebody new begins with a keyframe that has just come, and asks for none; somebody who comes back does not', () => {
  for (let i = 0; i < 6; i++) source.next(i % 3 === 0)
  source.recentKeyframe = 3
  sender.attach(source)
  sender.setConnected(true)
  expect([source.keyframesNeeded, sender.isPending]).toEqual([0, true])
  sender.tick(0)
  expect(sent.map(payloadOf)).toEqual([3, 4, 5])
  sender.setConnected(false)
  sender.setConnected(true)
  expect([source.keyframesNeeded, sender.isPending]).toEqual([1, false])
})

test('a keyframe request reaches the source', () => {
  sender.setConnected(true)
  sender.attach(source)
  sender.onKeyframeRequest(0)
  expect(source.keyframesNeeded).toBe(2)
  expect(sender.keyframeRequestsReceived).toBe(1)
  sender.attach(null)
  sender.onKeyframeRequest(0)
  expect(source.keyframesNeeded).toBe(2)
})

test('one browser cannot make the room encode keyframes without end', () => {
  sender.setConnected(true)
  sender.attach(source)
  const before = source.keyframesNeeded
  // Ten seconds of four keyframes a second, each asked for a hundred times.
  for (let nowMs = 0; nowMs < 10_000; nowMs += 250) {
    for (let i = 0; i < 100; i++) sender.onKeyframeRequest(nowMs)
    send(source.next(true))
  }
  expect(source.keyframesNeeded - before).toBeLessThan(15)
  expect(source.keyframesNeeded - before).toBeGreaterThan(9)
})

describe('a keyframe that was asked for', () => {
  beforeEach(() => {
    sender.setConnected(true)
    sender.attach(source)
    send(source.next(true))
    sender.onKeyframeRequest(0)
  })

  test('is asked for again if it waited so long that it was left out', () => {
    source.next(true).queuedAtMs = 0
    const before = source.keyframesNeeded
    sender.sendChunk(5000)
    expect(source.keyframesNeeded).toBe(before + 1)
    source.next().queuedAtMs = 5000
    source.next(true).queuedAtMs = 5000
    sent.length = 0
    sender.sendChunk(5000)
    expect(sent.map(payloadOf)).toEqual([3])
  })

  test('is asked for again if it has not come for a second, whoever got lost on the way', () => {
    const before = source.keyframesNeeded
    sender.onKeyframeRequest(999)
    expect(source.keyframesNeeded).toBe(before)
    sender.onKeyframeRequest(1000)
    expect(source.keyframesNeeded).toBe(before + 1)
  })
})
