import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  BINDING_ERROR,
  BINDING_REQUEST,
  BINDING_SUCCESS,
  hasFingerprint,
  isAuthentic,
  isStun,
  ROLE_CONFLICT,
  readStun,
  writeBindingError,
  writeBindingRequest,
  writeBindingSuccess,
} from './stun.ts'

/** RFC 5769, section 2.1: sample request, made by an implementation of the RFC's authors. */
const SAMPLE_REQUEST = Buffer.from(
  '000100582112a442b7e7a701bc34d686fa87dfae' +
    '802200105354554e207465737420636c69656e74' +
    '002400046e0001ff80290008932ff9b151263b36' +
    '000600096576746a3a68367659202020' +
    '000800149aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a2' +
    '80280004e57a3bcf',
  'hex',
)
/** RFC 5769, section 2.2: sample IPv4 response. */
const SAMPLE_RESPONSE = Buffer.from(
  '0101003c2112a442b7e7a701bc34d686fa87dfae' +
    '8022000b7465737420766563746f7220' +
    '002000080001a147e112a643' +
    '000800142b91f599fd9e90c38c7489f92af9ba53f06be7d7' +
    '80280004c07d4c96',
  'hex',
)
/** RFC 5769, section 2.3: sample IPv6 response. */
const SAMPLE_IPV6_RESPONSE = Buffer.from(
  '010100482112a442b7e7a701bc34d686fa87dfae' +
    '8022000b7465737420766563746f7220' +
    '002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d9' +
    '00080014a382954e4be67bf11784c97c8292c275bfe3ed41' +
    '80280004c8fb0b4c',
  'hex',
)
const PASSWORD = 'VOkJxbRl1RmTxUk/WvJxBt'

describe('the samples of RFC 5769', () => {
  test('are read and found authentic', () => {
    const request = readStun(SAMPLE_REQUEST)!
    expect(request).toMatchObject({ type: BINDING_REQUEST, username: 'evtj:h6vY', useCandidate: false })
    expect(isAuthentic(SAMPLE_REQUEST, request, PASSWORD)).toBe(true)
    const response = readStun(SAMPLE_RESPONSE)!
    expect(response.type).toBe(BINDING_SUCCESS)
    expect(isAuthentic(SAMPLE_RESPONSE, response, PASSWORD)).toBe(true)
  })

  test('say what the sender is, and end with a right fingerprint', () => {
    const request = { priority: 0x6e0001ff, role: 'controlled', tieBreaker: 0x932ff9b151263b36n }
    expect(readStun(SAMPLE_REQUEST)).toMatchObject(request)
    for (const sample of [SAMPLE_REQUEST, SAMPLE_RESPONSE, SAMPLE_IPV6_RESPONSE]) {
      expect(hasFingerprint(sample)).toBe(true)
      expect(hasFingerprint(sample.subarray(0, -8))).toBe(false)
      for (let at = 0; at < sample.length; at++) {
        const changed = Buffer.from(sample)
        changed[at]! ^= 0x10
        expect(hasFingerprint(changed)).toBe(false)
      }
    }
  })

  test('are not authentic with another password or another byte', () => {
    expect(isAuthentic(SAMPLE_REQUEST, readStun(SAMPLE_REQUEST)!, 'VOkJxbRl1RmTxUk/WvJxBu')).toBe(false)
    const forged = Buffer.from(SAMPLE_REQUEST)
    forged[25]! ^= 1
    expect(isAuthentic(forged, readStun(forged)!, PASSWORD)).toBe(false)
  })

  test('are written the same, but for the software attribute', () => {
    const transactionId = SAMPLE_RESPONSE.subarray(8, 20)
    const written = writeBindingSuccess(transactionId, '192.0.2.1', 32853, PASSWORD)
    expect(written.subarray(20, 32)).toEqual(SAMPLE_RESPONSE.subarray(36, 48))
    expect(isAuthentic(written, readStun(written)!, PASSWORD)).toBe(true)
    const ipv6 = writeBindingSuccess(transactionId, '2001:db8:1234:5678:11:2233:4455:6677', 32853, PASSWORD)
    expect(ipv6.subarray(20, 44)).toEqual(SAMPLE_IPV6_RESPONSE.subarray(36, 60))
  })
})

const request = fc.record({
  transactionId: fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  username: fc.stringMatching(/^[\w+/]{4,20}:[\w+/]{4,20}$/),
  password: fc.stringMatching(/^[\w+/]{22,32}$/),
  priority: fc.nat(0xffff_ffff),
  tieBreaker: fc.bigInt(0n, 2n ** 64n - 1n),
  role: fc.constantFrom('controlling' as const, 'controlled' as const),
  useCandidate: fc.boolean(),
})

test('what is written is read again', () => {
  fc.assert(
    fc.property(request, (fields) => {
      const datagram = writeBindingRequest(fields)
      expect(isStun(datagram)).toBe(true)
      const message = readStun(datagram)!
      expect(message).toMatchObject({ username: fields.username, useCandidate: fields.useCandidate })
      expect(message.transactionId).toEqual(fields.transactionId)
      expect(isAuthentic(datagram, message, fields.password)).toBe(true)
      const fingerprint = (crc32(datagram.subarray(0, -8)) ^ 0x5354554e) >>> 0
      expect(datagram.readUInt32BE(datagram.length - 4)).toBe(fingerprint)
    }),
  )
})

test('an error is read again', () => {
  const datagram = writeBindingError(Buffer.alloc(12, 7), ROLE_CONFLICT, PASSWORD)
  const message = readStun(datagram)!
  expect(message).toMatchObject({ type: BINDING_ERROR, errorCode: 487 })
  expect([isAuthentic(datagram, message, PASSWORD), hasFingerprint(datagram)]).toEqual([true, true])
})

test('nothing that arrives makes it throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(200), (bytes, cut) => {
      const header = Buffer.from('000100002112a442000000000000000000000000', 'hex')
      const datagram = Buffer.concat([header, Buffer.from(bytes)])
      datagram.writeUInt16BE(bytes.length, 2)
      const message = readStun(datagram)
      if (message) isAuthentic(datagram, message, 'password')
      readStun(SAMPLE_REQUEST.subarray(0, cut))
    }),
    { numRuns: 2000 },
  )
})
