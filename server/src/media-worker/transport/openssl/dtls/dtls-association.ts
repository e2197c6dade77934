import { clearErrors, opensslError, takeError } from '../error-queue.ts'
import { Memory } from '../memory.ts'
import { addressOfFunction, readUnsigned64 } from '../native.ts'
import { directionKeys, exportedBytes, PROFILES, type ProfileNumber } from '../srtp/session-keys.ts'
import { openSrtpSession, type SrtpSession } from '../srtp/srtp-session.ts'
import type { Certificate } from './certificate.ts'
import { ssl } from './dtls-calls.ts'
import { dtlsContext } from './dtls-context.ts'
import { type Fingerprint, fingerprintOf } from './fingerprint.ts'
import { hasTruncatedRecord } from './protected-records.ts'

/** With UDP and IP around it, below every usual MTU. */
const MTU = 1200
/** A handshake that takes longer is given up: ICE has a path all that time. */
const HANDSHAKE_TIMEOUT_MS = 30_000

/** Commands of SSL_ctrl, and results of SSL_get_error (`openssl/ssl.h`). */
const SET_MTU = 17
const GET_TIMEOUT = 73
const HANDLE_TIMEOUT = 74
const WANT_READ = 2

/**
 * What is not answered goes out again after this time first. OpenSSL's own second would be what somebody who joins waits for
 * (RFC 6347, section 4.2.4.1, lets a program whose time matters choose less). OpenSSL wants a C function that returns it in
 * microseconds, and `uv_version` of the libuv inside Node serves: it takes no arguments and returns 0x01xx00, which is 66 to
 * 131 ms.
 */
const firstTimeout = addressOfFunction('uv_version')

/** A ClientHello with post-quantum keys takes two datagrams; the browser may send each once more. */
const EARLY_DATAGRAMS = 4

/** RFC 5764, section 4.2. */
const EXPORTER_LABEL = 'EXTRACTOR-dtls_srtp'

/** Larger than a record, which has at most 16 KiB and its overhead. */
const SCRATCH_BYTES = 18 * 1024
/** For what is read from OpenSSL, between two calls of it. */
const scratch = new Memory(SCRATCH_BYTES)
/** A struct timeval. */
const timeval = new Memory(16)

export interface DtlsEvents {
  /** A datagram for the peer, valid during the call. */
  send(memory: Memory, at: number, length: number): void
  /** The peer has proved that it has the certificate of the fingerprint. The session is the receiver's to close. */
  onConnected(session: SrtpSession): void
  /** Final: the handshake failed, or the peer ended the association. Not called after {@link DtlsAssociation.close}. */
  onEnd(reason: string): void
}

/**
 * One DTLS 1.2 association that makes the keys of SRTP (RFC 5764). Datagrams go in and out by calls.
 *
 * It must be given datagrams only from an address that ICE has proved to be the peer's, and sends only there. This is what
 * the cookies of DTLS (RFC 6347, section 4.2.1) are for, so none are asked for: nobody else can make it send.
 */
export class DtlsAssociation {
  readonly #events: DtlsEvents
  readonly #fingerprint: Fingerprint
  readonly #role: 'client' | 'server'
  #association: number
  /** The BIOs belong to the association. */
  #received = 0
  #sent = 0
  #state: 'new' | 'handshake' | 'connected' | 'ended' = 'new'
  #timer: NodeJS.Timeout | undefined
  #startedAtMs = 0
  /** What came before {@link DtlsAssociation.start}: the browser may find the path first, and begins at once. */
  #early: Buffer[] = []

  /** @param fingerprint of the peer's certificate, as SDP told it */
  constructor(
    role: 'client' | 'server',
    certificate: Certificate,
    fingerprint: Fingerprint,
    events: DtlsEvents,
  ) {
    this.#events = events
    this.#fingerprint = fingerprint
    this.#role = role
    this.#association = ssl.SSL_new(dtlsContext())
    if (this.#association === 0) throw opensslError('SSL_new')
    try {
      this.#prepare(certificate)
    } catch (error) {
      this.close()
      throw error
    }
  }

  #prepare(certificate: Certificate): void {
    const association = this.#association
    const { certificate: own, key } = certificate.handles
    if (ssl.SSL_use_certificate(association, own) !== 1 || ssl.SSL_use_PrivateKey(association, key) !== 1)
      throw opensslError('SSL_use_certificate')
    const received = ssl.BIO_new(ssl.BIO_s_dgram_mem())
    const sent = ssl.BIO_new(ssl.BIO_s_dgram_mem())
    if (received === 0 || sent === 0) {
      for (const bio of [received, sent]) if (bio !== 0) ssl.BIO_free(bio)
      throw opensslError('BIO_new')
    }
    ssl.SSL_set_bio(association, received, sent)
    this.#received = received
    this.#sent = sent
    ssl.SSL_ctrl(association, SET_MTU, MTU, 0)
    if (this.#role === 'server') ssl.SSL_set_accept_state(association)
    else ssl.SSL_set_connect_state(association)
  }

  /** There is a path to the peer: the client begins, the server waits for it. Further calls do nothing. */
  start(): void {
    if (this.#state !== 'new') return
    this.#state = 'handshake'
    this.#startedAtMs = performance.now()
    if (this.#role === 'client') this.#proceed()
    for (const datagram of this.#early.splice(0)) {
      scratch.bytes.set(datagram)
      this.receive(scratch, 0, datagram.length)
    }
  }

  /** Takes a datagram. Before {@link start} the first few are kept until then; peers send others again. */
  receive(memory: Memory, at: number, length: number): void {
    if (length === 0 || length > SCRATCH_BYTES || this.#state === 'ended') return
    if (hasTruncatedRecord(memory.bytes.subarray(at, at + length))) return
    if (this.#state === 'new') {
      if (this.#early.length < EARLY_DATAGRAMS)
        this.#early.push(Buffer.from(memory.bytes.subarray(at, at + length)))
      return
    }
    const written = ssl.BIO_write(this.#received, memory.at(at, length), length)
    if (written !== length) clearErrors()
    else if (this.#state === 'handshake') this.#proceed()
    else this.#read()
  }

  /** Goes on with the handshake as far as what was received allows. */
  #proceed(): void {
    clearErrors()
    // Whatever goes out now has the short time. From then on OpenSSL doubles it, which it does without the function only.
    ssl.DTLS_set_timer_cb(this.#association, firstTimeout)
    const result = ssl.SSL_do_handshake(this.#association)
    ssl.DTLS_set_timer_cb(this.#association, 0)
    const error = result === 1 ? 0 : ssl.SSL_get_error(this.#association, result)
    const reason = result === 1 || error === WANT_READ ? '' : takeError()
    clearTimeout(this.#timer)
    if (!this.#flush()) return
    if (result === 1) this.#complete()
    else if (error === WANT_READ) this.#awaitAnswer()
    else this.#end(reason)
  }

  #complete(): void {
    const failure = this.#peerFailure()
    if (failure !== null) {
      this.#end(failure)
      return
    }
    let session: SrtpSession
    try {
      session = this.#openSession()
    } catch (error) {
      this.#end((error as Error).message)
      return
    }
    this.#state = 'connected'
    this.#events.onConnected(session)
  }

  /** @returns why the peer is not the one that SDP described, or null */
  #peerFailure(): string | null {
    const peer = ssl.SSL_get1_peer_certificate(this.#association)
    if (peer === 0) return 'the peer has no certificate'
    const value = fingerprintOf(peer, this.#fingerprint.algorithm)
    ssl.X509_free(peer)
    if (value !== this.#fingerprint.value) return 'the certificate is not the one of the fingerprint'
    return this.#profile() === null ? 'the peer takes no protection profile of ours' : null
  }

  #profile(): ProfileNumber | null {
    const profile = ssl.SSL_get_selected_srtp_profile(this.#association)
    if (profile === 0) return null
    // struct srtp_protection_profile_st: a name, then the number.
    const number = readUnsigned64(profile + 8)
    return Object.hasOwn(PROFILES, number) ? (number as ProfileNumber) : null
  }

  #openSession(): SrtpSession {
    const profile = this.#profile()!
    const length = exportedBytes(profile)
    const done = ssl.SSL_export_keying_material(
      this.#association,
      scratch.at(0, length),
      length,
      EXPORTER_LABEL,
      EXPORTER_LABEL.length,
      0,
      0,
      0,
    )
    if (done !== 1) throw opensslError('SSL_export_keying_material')
    const { client, server } = directionKeys(profile, scratch.bytes.subarray(0, length))
    scratch.bytes.fill(0, 0, length)
    const isClient = this.#role === 'client'
    return openSrtpSession(profile, {
      sent: isClient ? client : server,
      received: isClient ? server : client,
    })
  }

  /** After the handshake: alerts, and handshake messages that the peer sends again. There are no data. */
  #read(): void {
    clearErrors()
    let result = 1
    while (result > 0) result = ssl.SSL_read(this.#association, scratch.at(0, SCRATCH_BYTES), SCRATCH_BYTES)
    const error = ssl.SSL_get_error(this.#association, result)
    clearErrors()
    if (this.#flush() && error !== WANT_READ) this.#end('the peer ended the association')
  }

  /** Sends what OpenSSL has written. @returns false where the association was closed meanwhile */
  #flush(): boolean {
    while (this.#association !== 0) {
      const length = ssl.BIO_read(this.#sent, scratch.at(0, SCRATCH_BYTES), SCRATCH_BYTES)
      if (length <= 0) break
      this.#events.send(scratch, 0, length)
    }
    clearErrors()
    return this.#association !== 0
  }

  /** Sends again what is not answered in time. */
  #awaitAnswer(): void {
    if (performance.now() - this.#startedAtMs > HANDSHAKE_TIMEOUT_MS) {
      this.#end('the handshake took too long')
      return
    }
    // Nothing was sent yet, or the peer has all of it.
    if (ssl.SSL_ctrl(this.#association, GET_TIMEOUT, 0, timeval.at(0, 16)) !== 1) return
    const { bytes } = timeval
    const leftMs = bytes.readUInt32LE(0) * 1000 + bytes.readUInt32LE(8) / 1000
    this.#timer = setTimeout(() => this.#onTimeout(), Math.ceil(leftMs) + 1)
  }

  #onTimeout(): void {
    if (this.#state !== 'handshake') return
    clearErrors()
    if (ssl.SSL_ctrl(this.#association, HANDLE_TIMEOUT, 0, 0) < 0) {
      this.#end(takeError())
      return
    }
    if (this.#flush()) this.#awaitAnswer()
  }

  #end(reason: string): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    clearTimeout(this.#timer)
    this.#events.onEnd(reason)
  }

  /** Tells the peer where there is an association, and frees it. Idempotent. */
  close(): void {
    if (this.#association === 0) return
    clearTimeout(this.#timer)
    if (this.#state === 'connected') {
      ssl.SSL_shutdown(this.#association)
      this.#flush()
    }
    this.#state = 'ended'
    this.#early = []
    ssl.SSL_free(this.#association)
    this.#association = this.#received = this.#sent = 0
    clearErrors()
  }
}
