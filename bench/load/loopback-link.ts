import { isStun } from '../../server/src/media-worker/transport/ice/stun.ts'
import { Certificate } from '../../server/src/media-worker/transport/openssl/dtls/certificate.ts'
import { DtlsAssociation } from '../../server/src/media-worker/transport/openssl/dtls/dtls-association.ts'
import { ssl } from '../../server/src/media-worker/transport/openssl/dtls/dtls-calls.ts'
import { dtlsContext } from '../../server/src/media-worker/transport/openssl/dtls/dtls-context.ts'
import { parseFingerprint } from '../../server/src/media-worker/transport/openssl/dtls/fingerprint.ts'
import { Memory } from '../../server/src/media-worker/transport/openssl/memory.ts'
import type { SrtpSession } from '../../server/src/media-worker/transport/openssl/srtp/srtp-session.ts'
import { SocketAddress } from '../../server/src/media-worker/transport/openssl/udp/socket-address.ts'
import { isRtcp } from '../../server/src/media-worker/transport/rtp/rtp-packet.ts'
import { IceClient } from './ice-client.ts'
import { LoopbackPort } from './loopback-port.ts'
import { addressesOf, attributeOf, browserOffer } from './sdp.ts'
import type { Link } from './viewer.ts'

const LONGEST_SENT_BYTES = 1500
const scratch = new Memory(LONGEST_SENT_BYTES + 64)

/**
 * As Chromium (156) has them: where the server begins the handshake, Chromium chooses the first one. Where Chromium begins it, the server
 * may choose the second one, which costs it half as much.
 */
const PROFILES = 'SRTP_AES128_CM_SHA1_80:SRTP_AEAD_AES_128_GCM'

/** One for the whole process, which is a crowd and no secret. */
let certificate: Certificate | null = null
const links: LoopbackLink[] = []
const port = new LoopbackPort((viewer, memory, at, length) => links[viewer]?.onDatagram(memory, at, length))

function newCertificate(): Certificate {
  if (ssl.SSL_CTX_set_tlsext_use_srtp(dtlsContext(), PROFILES) !== 0) throw new Error(`no ${PROFILES}`)
  return Certificate.create()
}

/** Takes what has come for anybody. To be called every few milliseconds. */
export function pollLinks(): void {
  port.poll()
}

/**
 * ICE, DTLS and SRTP of one viewer, over the socket that all of the process share. What comes is not decrypted, but for reports of
 * the server; what is sent is encrypted.
 */
export class LoopbackLink implements Link {
  onPacket: (packet: Buffer) => void = () => {}
  readonly #index = links.push(this) - 1
  readonly #ice = new IceClient((datagram) => this.#sendCopy(datagram))
  #server: { address: SocketAddress; port: number } | null = null
  #dtls: DtlsAssociation | null = null
  #session: SrtpSession | null = null

  get isOpen(): boolean {
    return this.#session !== null
  }

  async offer(): Promise<string> {
    certificate ??= newCertificate()
    const { usernameFragment, password } = this.#ice.local
    const native = [
      `a=ice-ufrag:${usernameFragment}`,
      `a=ice-pwd:${password}`,
      `a=fingerprint:${certificate.fingerprint}`,
    ]
    return browserOffer(native.join('\r\n'), null)
  }

  /** @throws where the answer is of no use */
  accept(answer: string): void {
    const fingerprint = parseFingerprint(attributeOf(answer, 'fingerprint'))
    const [place] = addressesOf(answer)
    if (!fingerprint || !place || !certificate) throw new Error(`no fingerprint or no address in ${answer}`)
    // The server has bound its port at all addresses, and answers where it was asked.
    this.#server = { address: new SocketAddress('127.0.0.1', place.port), port: place.port }
    const role = attributeOf(answer, 'setup') === 'active' ? 'server' : 'client'
    this.#dtls = new DtlsAssociation(role, certificate, fingerprint, {
      send: (memory, at, length) => this.#transmit(memory, at, length),
      onConnected: (session) => {
        this.#session = session
      },
      onEnd: () => {
        this.#session = null
      },
    })
    this.#ice.begin({
      usernameFragment: attributeOf(answer, 'ice-ufrag'),
      password: attributeOf(answer, 'ice-pwd'),
    })
    // The server may be faster than the answer to our check.
    if (role === 'server') this.#dtls.start()
    this.tick(performance.now())
  }

  onDatagram(memory: Memory, at: number, length: number): void {
    const first = memory.bytes[at]!
    const packet = memory.bytes.subarray(at, at + length)
    if (first >= 128 && first < 192) this.#onSrtp(memory, at, packet)
    else if (isStun(packet)) this.#onStun(packet)
    else this.#dtls?.receive(memory, at, length)
  }

  #onStun(packet: Buffer): void {
    this.#ice.onStun(packet, this.#server?.port ?? 0)
    if (this.#ice.isConnected) this.#dtls?.start()
  }

  #onSrtp(memory: Memory, at: number, packet: Buffer): void {
    if (!isRtcp(packet)) {
      this.onPacket(packet)
      return
    }
    const length = this.#session?.receiver.unprotectRtcp(memory, at, packet.length) ?? -1
    if (length > 0) this.onPacket(packet.subarray(0, length))
  }

  send(packet: Buffer): void {
    if (!this.#session) return
    packet.copy(scratch.bytes)
    const length = this.#session.sender.protectRtcp(scratch, 0, packet.length)
    if (length > 0) this.#transmit(scratch, 0, length)
  }

  tick(nowMs: number): void {
    this.#ice.tick(nowMs)
  }

  #sendCopy(datagram: Buffer): void {
    datagram.copy(scratch.bytes)
    this.#transmit(scratch, 0, datagram.length)
  }

  #transmit(memory: Memory, at: number, length: number): void {
    if (this.#server) port.send(this.#index, memory, at, length, this.#server.address)
  }

  close(): void {
    // The server is not told, as where a network is gone.
    this.#server = null
    this.#dtls?.close()
    this.#session?.sender.close()
    this.#session?.receiver.close()
    this.#session = this.#dtls = null
    delete links[this.#index]
  }
}
