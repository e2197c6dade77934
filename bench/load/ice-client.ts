import { randomBytes } from 'node:crypto'
import {
  BINDING_REQUEST,
  BINDING_SUCCESS,
  isAuthentic,
  readStun,
  writeBindingRequest,
  writeBindingSuccess,
} from '../../server/src/media-worker/transport/ice/stun.ts'

/** Until the first answer, and afterwards: Chromium checks a pair that works every 2.5 s. */
const RETRY_MS = 50
const CONSENT_MS = 2500
/** Any priority of a peer-reflexive candidate (RFC 8445, section 5.1.2.1). */
const PRIORITY = 0x6e_ff_ff_ff

/** What SDP tells of one side. */
export interface IceCredentials {
  usernameFragment: string
  password: string
}

/**
 * ICE of a browser whose only way to the server is known (RFC 8445): it checks that, nominates it, goes on checking (RFC 7675),
 * and answers the checks of the server.
 */
export class IceClient {
  readonly local: IceCredentials = {
    usernameFragment: randomBytes(3).toString('hex'),
    password: randomBytes(12).toString('hex'),
  }
  /** Whether the server has answered. */
  isConnected = false
  readonly #send: (datagram: Buffer) => void
  readonly #tieBreaker = randomBytes(8).readBigUInt64BE()
  #remote: IceCredentials | null = null
  #transactionId = randomBytes(12)
  #checkAtMs = 0

  /** @param send sends a datagram to the server */
  constructor(send: (datagram: Buffer) => void) {
    this.#send = send
  }

  /** The server has answered the offer. */
  begin(remote: IceCredentials): void {
    this.#remote = remote
  }

  /** Takes a STUN message from the server. @param port that the server is at */
  onStun(datagram: Buffer, port: number): void {
    const message = readStun(datagram)
    if (!message || !this.#remote) return
    const { type, transactionId } = message
    if (type === BINDING_REQUEST && isAuthentic(datagram, message, this.local.password))
      this.#send(writeBindingSuccess(transactionId, '127.0.0.1', port, this.local.password))
    const isAnswer = type === BINDING_SUCCESS && transactionId.equals(this.#transactionId)
    if (isAnswer && isAuthentic(datagram, message, this.#remote.password)) this.isConnected = true
  }

  /** Sends the check that is due. */
  tick(nowMs: number): void {
    if (!this.#remote || nowMs < this.#checkAtMs) return
    this.#checkAtMs = nowMs + (this.isConnected ? CONSENT_MS : RETRY_MS)
    const { usernameFragment, password } = this.#remote
    if (this.isConnected) this.#transactionId = randomBytes(12)
    this.#send(
      writeBindingRequest({
        transactionId: this.#transactionId,
        username: `${usernameFragment}:${this.local.usernameFragment}`,
        password,
        priority: PRIORITY,
        tieBreaker: this.#tieBreaker,
        role: 'controlling',
        useCandidate: true,
      }),
    )
  }
}
