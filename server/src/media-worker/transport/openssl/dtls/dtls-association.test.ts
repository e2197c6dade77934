import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Memory } from '../memory.ts'
import type { SrtpSession } from '../srtp/srtp-session.ts'
import { Certificate } from './certificate.ts'
import { DtlsAssociation } from './dtls-association.ts'
import { parseFingerprint } from './fingerprint.ts'

const ours = Certificate.create()
const theirs = Certificate.create()
const buffer = new Memory(2048)
const soon = { timeout: 10_000, interval: 20 }

const open: { close(): void }[] = []
afterEach(() => {
  for (const each of open.splice(0)) each.close()
})

/** One end of an association, and what it has told. */
class End {
  readonly association: DtlsAssociation
  session: SrtpSession | null = null
  ended: string | null = null
  /** Datagrams that it has sent. */
  readonly sent: Buffer[] = []
  /** Gets what it sends. */
  peer: End | null = null
  /** So many of the next datagrams get lost. */
  losses = 0

  constructor(role: 'client' | 'server', own: Certificate, fingerprint: string) {
    this.association = new DtlsAssociation(role, own, parseFingerprint(fingerprint)!, {
      send: (memory, at, length) => {
        const datagram = Buffer.from(memory.bytes.subarray(at, at + length))
        this.sent.push(datagram)
        if (this.losses-- <= 0) setImmediate(() => this.peer?.receive(datagram))
      },
      onConnected: (session) => {
        this.session = session
        open.push(session.sender, session.receiver)
      },
      onEnd: (reason) => {
        this.ended = reason
      },
    })
    open.push(this.association)
  }

  receive(datagram: Uint8Array): void {
    buffer.bytes.set(datagram)
    this.association.receive(buffer, 0, datagram.length)
  }
}

/** @param told fingerprint that the client is told of the server */
function pair(told = ours.fingerprint): { server: End; client: End } {
  const server = new End('server', ours, theirs.fingerprint)
  const client = new End('client', theirs, told)
  server.peer = client
  client.peer = server
  return { server, client }
}

function start({ server, client }: { server: End; client: End }): void {
  server.association.start()
  client.association.start()
}

const connected = ({ server, client }: { server: End; client: End }) =>
  vi.waitFor(() => expect(server.session && client.session).toBeTruthy(), soon)

describe('an association', () => {
  test('makes keys with which each end reads the other', async () => {
    const ends = pair()
    start(ends)
    await connected(ends)
    for (const [from, to] of [
      [ends.server, ends.client],
      [ends.client, ends.server],
    ] as const) {
      const packet = Buffer.from('8060000100000000000000ff68656c6c6f', 'hex')
      packet.copy(buffer.bytes)
      const length = from.session!.sender.protect(buffer, 0, packet.length)
      expect(to.session!.receiver.unprotect(buffer, 0, length)).toBe(packet.length)
      expect(buffer.bytes.subarray(0, packet.length)).toEqual(packet)
    }
    expect(Math.max(...ends.server.sent.map(({ length }) => length))).toBeLessThanOrEqual(1200)
  })

  test('comes about although datagrams get lost', async () => {
    const ends = pair()
    ends.client.losses = 1
    ends.server.losses = 1
    start(ends)
    await connected(ends)
  })

  test('sends again what is lost before a second is over, and then less and less often', async () => {
    const { client } = pair()
    client.peer = null
    client.association.start()
    let sentInASecond = 0
    setTimeout(() => {
      sentInASecond = client.sent.length
    }, 1000)
    await vi.waitFor(() => expect(sentInASecond).toBeGreaterThan(0), soon)
    expect(sentInASecond).toBeGreaterThanOrEqual(3)
    expect(sentInASecond).toBeLessThanOrEqual(5)
  })

  test('is refused where the certificate is another than announced', async () => {
    const ends = pair(theirs.fingerprint)
    start(ends)
    await vi.waitFor(() => expect(ends.client.ended).toContain('fingerprint'), soon)
    expect(ends.client.session).toBeNull()
  })

  test('sends nothing before there is a path to the peer', () => {
    const { server, client } = pair()
    client.association.start()
    server.receive(client.sent[0]!)
    expect(server.sent).toEqual([])
  })

  test('answers what came before there was a path once there is one, and keeps only so much of it', async () => {
    const ends = pair()
    ends.client.association.start()
    const [hello] = ends.client.sent
    ends.server.receive(hello!)
    for (let copy = 0; copy < 1000; copy++) ends.server.receive(Buffer.alloc(1200, 22))
    ends.server.association.start()
    expect(ends.server.sent.length).toBeGreaterThan(0)
    await connected(ends)
  })

  test('ends when the peer ends it', async () => {
    const ends = pair()
    start(ends)
    await connected(ends)
    ends.client.association.close()
    ends.client.association.close()
    await vi.waitFor(() => expect(ends.server.ended).toContain('ended'), soon)
    expect(ends.client.ended).toBeNull()
  })

  test('outlives forged records of every type and length', async () => {
    const ends = pair()
    start(ends)
    await connected(ends)
    for (const type of [20, 21, 22, 23, 24, 255]) {
      for (const epoch of [0, 1, 2]) {
        for (let length = 0; length < 64; length++) {
          const record = Buffer.alloc(13 + length, 7)
          record.writeUInt8(type)
          record.writeUInt16BE(0xfefd, 1)
          record.writeUInt16BE(epoch, 3)
          record.writeUIntBE(1000, 5, 6)
          record.writeUInt16BE(length, 11)
          ends.server.receive(record)
          expect(ends.server.ended, `type ${type}, epoch ${epoch}, ${length} bytes`).toBeNull()
        }
      }
    }
    ends.client.association.close()
    await vi.waitFor(() => expect(ends.server.ended).toContain('ended'), soon)
  })

  test('outlives whatever strangers send, before and after the handshake', async () => {
    const ends = pair()
    start(ends)
    await connected(ends)
    const flights = [...ends.client.sent, ...ends.server.sent]
    const mutated = fc
      .tuple(
        fc.constantFrom(...flights),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
        fc.nat(2048),
      )
      .map(([flight, changes, length]) => {
        const datagram = Buffer.from(flight.subarray(0, Math.max(1, length)))
        for (const [at, byte] of changes) datagram[at % datagram.length] = byte
        return datagram
      })
    const anything = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 2048 }), mutated)
    fc.assert(
      fc.property(
        fc.constantFrom('client', 'server'),
        fc.array(anything, { maxLength: 6 }),
        (role, datagrams) => {
          const end = new End(role as 'client' | 'server', ours, theirs.fingerprint)
          end.association.start()
          for (const datagram of datagrams) end.receive(datagram)
          expect(end.session).toBeNull()
          end.association.close()
          end.receive(Buffer.from('late'))
          for (const datagram of datagrams) ends.server.receive(datagram)
        },
      ),
      { numRuns: 300 },
    )
    expect(ends.server.ended).toBeNull()
  }, 30_000)
})

test.each([
  ['sha-256 AA:BB', 'too short'],
  [`sha-1 ${new Array(20).fill('AA').join(':')}`, 'a broken algorithm'],
  [`toString ${new Array(32).fill('AA').join(':')}`, 'no algorithm'],
  [ours.fingerprint.replace(/..$/, 'GG'), 'no number'],
  ['', 'nothing'],
])('the fingerprint %j is refused: %s', (line) => {
  expect(parseFingerprint(line)).toBeNull()
})
