import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Memory } from '../memory.ts'
import { isAnswerRight, KNOWN_ANSWERS } from './known-answers.ts'
import { directionKeys, exportedBytes, type ProfileNumber } from './session-keys.ts'
import { openSrtpSession } from './srtp-session.ts'

test.each(KNOWN_ANSWERS)('a published $kind packet of profile $profile is made and read', (answer) => {
  expect(isAnswerRight(answer)).toBe(true)
})

const memory = new Memory(2048)

/** Puts bytes where both sides work on them. @returns their length */
function place(packet: Uint8Array): number {
  memory.bytes.set(packet)
  return packet.length
}

function rtp(sequence: number, payload: Uint8Array = Buffer.from('hello'), ssrc = 77): Buffer {
  const packet = Buffer.alloc(20 + payload.length)
  packet[0] = 0x90
  packet[1] = 96
  packet.writeUInt16BE(sequence, 2)
  packet.writeUInt32BE(ssrc, 8)
  packet.writeUInt32BE(0xbede0001, 12)
  packet.set(payload, 20)
  return packet
}

function rtcp(payload: Uint8Array, ssrc = 77): Buffer {
  const packet = Buffer.alloc(8 + payload.length)
  packet[0] = 0x80
  packet[1] = 201
  packet.writeUInt32BE(ssrc, 4)
  packet.set(payload, 8)
  return packet
}

/** Two ends of one connection. */
function pair(profile: ProfileNumber) {
  const { client, server } = directionKeys(profile, randomBytes(exportedBytes(profile)))
  const ours = openSrtpSession(profile, { sent: server, received: client })
  const theirs = openSrtpSession(profile, { sent: client, received: server })
  const copy = (length: number) => (length < 0 ? null : Buffer.from(memory.bytes.subarray(0, length)))
  return {
    seal: (packet: Buffer) => copy(ours.sender.protect(memory, 0, place(packet))),
    open: (packet: Buffer) => copy(theirs.receiver.unprotect(memory, 0, place(packet))),
    sealRtcp: (packet: Buffer) => copy(ours.sender.protectRtcp(memory, 0, place(packet))),
    openRtcp: (packet: Buffer) => copy(theirs.receiver.unprotectRtcp(memory, 0, place(packet))),
  }
}

describe.each([1, 7] as const)('profile %i', (profile) => {
  const payload = fc.uint8Array({ maxLength: 1200 })

  test('what is protected is read, once', () => {
    fc.assert(
      fc.property(fc.nat(0xffff), payload, (sequence, bytes) => {
        const { seal, open, sealRtcp, openRtcp } = pair(profile)
        const sealed = seal(rtp(sequence, bytes))!
        expect(open(sealed)).toEqual(rtp(sequence, bytes))
        expect(open(sealed)).toBeNull()
        const control = sealRtcp(rtcp(bytes))!
        expect(openRtcp(control)).toEqual(rtcp(bytes))
        expect(openRtcp(control)).toBeNull()
      }),
    )
  })

  test('one changed or missing bit is enough to be refused', () => {
    const { seal, open, sealRtcp, openRtcp } = pair(profile)
    const packet = seal(rtp(5))!
    const control = sealRtcp(rtcp(Buffer.from('report')))!
    for (const [sealed, unprotect] of [
      [packet, open],
      [control, openRtcp],
    ] as const) {
      for (let bit = 0; bit < 8 * sealed.length; bit++) {
        const changed = Buffer.from(sealed)
        changed[bit >> 3]! ^= 1 << (bit & 7)
        expect(unprotect(changed), `bit ${bit}`).toBeNull()
      }
      for (let length = 0; length < sealed.length; length++)
        expect(unprotect(sealed.subarray(0, length))).toBeNull()
      expect(unprotect(sealed)).not.toBeNull()
    }
  })

  test('nothing that strangers send is accepted, or does harm', () => {
    const { open, openRtcp } = pair(profile)
    const looksRight = fc.uint8Array({ minLength: 2, maxLength: 2048 }).map((bytes) => {
      bytes[0] = (bytes[0]! & 0x3f) | 0x80
      return bytes
    })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 2048 }), looksRight), (bytes) => {
        expect(open(Buffer.from(bytes))).toBeNull()
        expect(openRtcp(Buffer.from(bytes))).toBeNull()
      }),
      { numRuns: 3000 },
    )
  })

  test('the rollover counter is right for late packets and for those that are sent again', () => {
    const { seal, open } = pair(profile)
    const first = seal(rtp(0xfffe))!
    const late = seal(rtp(0xffff))!
    const after = seal(rtp(2))!
    expect(seal(rtp(0xffff))).toEqual(late)
    expect(seal(rtp(2))).toEqual(after)
    expect(open(first)).toEqual(rtp(0xfffe))
    expect(open(after)).toEqual(rtp(2))
    expect(open(late)).toEqual(rtp(0xffff))
    for (const old of [first, late, after]) expect(open(old)).toBeNull()
    // Once round: with the same numbers, these are others.
    for (let sequence = 0x1000; sequence < 0x10000; sequence += 0x1000)
      expect(open(seal(rtp(sequence))!)).not.toBeNull()
    const again = seal(rtp(2))!
    expect(again).not.toEqual(after)
    expect(open(again)).toEqual(rtp(2))
    expect(open(after)).toBeNull()
  })

  test('packets come in any order within the window, and not behind it', () => {
    const { seal, open } = pair(profile)
    const sealed = Array.from({ length: 3000 }, (_, sequence) => seal(rtp(sequence))!)
    expect(open(sealed[2000]!)).not.toBeNull()
    for (let sequence = 1999; sequence > 976; sequence--) expect(open(sealed[sequence]!)).not.toBeNull()
    for (let sequence = 2000; sequence >= 0; sequence--) expect(open(sealed[sequence]!)).toBeNull()
    expect(open(sealed[2999]!)).not.toBeNull()
    expect(open(sealed[2001]!)).not.toBeNull()
    expect(open(sealed[2000]!)).toBeNull()
  })

  test('streams are counted each by itself, and no more than a browser has', () => {
    const { seal, open } = pair(profile)
    let accepted = 0
    for (let ssrc = 1; ssrc <= 64; ssrc++) if (open(seal(rtp(9, undefined, ssrc))!)) accepted++
    expect(accepted).toBe(64)
    expect(seal(rtp(9, undefined, 65))).toBeNull()
    expect(seal(rtp(10, undefined, 64))).not.toBeNull()
  })

  test('RTCP that is not encrypted is refused', () => {
    const { sealRtcp, openRtcp } = pair(profile)
    const sealed = sealRtcp(rtcp(Buffer.from('report')))!
    sealed[sealed.length - (profile === 7 ? 4 : 14)]! &= 0x7f
    expect(openRtcp(sealed)).toBeNull()
  })
})

test('memory outside of its bounds has no address', () => {
  const few = new Memory(10)
  expect(few.at(10, 0) - few.at(0, 10)).toBe(10)
  for (const [offset, length] of [
    [0, 11],
    [-1, 2],
    [11, 0],
    [5, 6],
    [Number.NaN, 1],
    [1, Number.NaN],
  ] as const)
    expect(() => few.at(offset, length)).toThrow(RangeError)
})
