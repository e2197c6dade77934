import { expect, test } from 'vitest'
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
    sender.send(packet, (bytes) => {
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
    sender.send(packet, (bytes) => {
      numbers.push(bytes.readUInt16BE(2))
      return goesOut
    })
  }
  expect(new Set(numbers).size).toBe(1)
  expect(sender.stream.packets).toBe(1)
})

test('a packet too large for the network is refused', () => {
  const packet = { payload: Buffer.alloc(1300), rtpTimestamp: 0, capturedAtMs: 0 }
  expect(() => new AudioSender().send(packet, () => true)).toThrow(RangeError)
})
