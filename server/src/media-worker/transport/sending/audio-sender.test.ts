import { expect, test } from 'vitest'
import { newestBlockStart } from '../rtp/redundancy.ts'
import { RtpPacketView } from '../rtp/rtp-packet.ts'
import { AudioSender } from './audio-sender.ts'

test('packets are numbered one after the other and keep the room’s clock', () => {
  const sender = new AudioSender()
  sender.stream.payloadType = 111
  const view = new RtpPacketView()
  const seen: { sequence: number; timestamp: number; payload: string }[] = []
  for (let i = 0; i < 3; i++) {
    const packet = {
      payload: Buffer.from(`packet ${i}`),
      rtpTimestamp: 2 ** 32 - 960 + i * 960,
      capturedAtMs: i * 20,
    }
    sender.send(packet, 0, (bytes) => {
      expect(view.read(bytes)).toBe(true)
      expect(view).toMatchObject({ payloadType: 111, ssrc: sender.stream.ssrc, marker: false })
      const payload = bytes.toString('latin1', view.payloadStart, view.payloadEnd)
      seen.push({ sequence: view.sequence, timestamp: view.timestamp, payload })
      return true
    })
  }
  expect(seen.map(({ payload }) => payload)).toEqual(['packet 0', 'packet 1', 'packet 2'])
  expect((seen[2]!.sequence - seen[0]!.sequence) & 0xffff).toBe(2)
  expect((seen[2]!.timestamp - seen[0]!.timestamp) >>> 0).toBe(1920)
  expect(sender.stream).toMatchObject({ packets: 3, octets: 24 })
})

test('what did not go out takes no number', () => {
  const sender = new AudioSender()
  const numbers: number[] = []
  const packet = { payload: Buffer.alloc(10), rtpTimestamp: 0, capturedAtMs: 0 }
  for (const goesOut of [false, false, true]) {
    sender.send(packet, 0, (bytes) => {
      numbers.push(bytes.readUInt16BE(2))
      return goesOut
    })
  }
  expect(new Set(numbers).size).toBe(1)
  expect(sender.stream.packets).toBe(1)
})

test('packets carry the ones before them once more where the browser takes that and packets are lost', () => {
  const sender = new AudioSender()
  sender.stream.payloadType = 111
  sender.redundancyPayloadType = 63
  const view = new RtpPacketView()
  const sent: string[] = []
  const payloads: string[] = []
  const send = (index: number, redundantPackets: 0 | 1 | 2) => {
    sender.redundantPackets = redundantPackets
    const packet = { payload: Buffer.from(`p${index}`), rtpTimestamp: index * 960, capturedAtMs: index * 20 }
    sender.send(packet, 0, (bytes) => {
      expect(view.read(bytes)).toBe(true)
      const newest =
        view.payloadType === 63
          ? newestBlockStart(bytes, view.payloadStart, view.payloadEnd)
          : view.payloadStart
      payloads.push(bytes.toString('latin1', newest, view.payloadEnd))
      sent.push(`${view.payloadType}:${bytes.toString('hex', view.payloadStart, view.payloadEnd)}`)
      return true
    })
  }
  send(0, 2)
  send(1, 0)
  send(2, 1)
  send(3, 2)
  // A pause too long for the header of a block.
  send(30, 2)
  expect(payloads).toEqual(['p0', 'p1', 'p2', 'p3', 'p30'])
  const hex = (text: string) => Buffer.from(text).toString('hex')
  expect(sent).toEqual([
    `111:${hex('p0')}`,
    `111:${hex('p1')}`,
    // RFC 2198, section 3: one bit, 7 of payload type, 14 of offset (960), 10 of length (2).
    `63:ef0f0002${'6f'}${hex('p1p2')}`,
    `63:ef1e0002ef0f0002${'6f'}${hex('p1p2p3')}`,
    `111:${hex('p30')}`,
  ])
})

test('a packet too large for the network is refused', () => {
  const packet = { payload: Buffer.alloc(1300), rtpTimestamp: 0, capturedAtMs: 0 }
  expect(() => new AudioSender().send(packet, 0, () => true)).toThrow(RangeError)
})
