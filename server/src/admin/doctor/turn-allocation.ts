import { createHash, randomBytes } from 'node:crypto'
import {
  sealStun,
  stunAttribute,
  writeStunHeader,
  xorAddress,
} from '../../media-worker/transport/ice/stun.ts'
import type { IceServer } from '../../turn/ice-servers.ts'
import type { TurnConnection } from './turn-connection.ts'

/** Methods of TURN (RFC 8656, section 17) as requests. The answer has 0x0100 besides, an error 0x0110. */
const ALLOCATE = 0x0003
const REFRESH = 0x0004
const CREATE_PERMISSION = 0x0008
const ERROR = 0x0110

const USERNAME = 0x0006
const ERROR_CODE = 0x0009
const LIFETIME = 0x000d
const XOR_PEER_ADDRESS = 0x0012
const REALM = 0x0014
const NONCE = 0x0015
const REQUESTED_TRANSPORT = 0x0019

const HEADER_BYTES = 20
const UNAUTHENTICATED = 401
/** Relaying over UDP, by its protocol number. */
const WANTED = stunAttribute(REQUESTED_TRANSPORT, Buffer.from([17, 0, 0, 0]))

/** What a TURN server said instead of yes. */
export class TurnRefusal extends Error {
  /** RFC 8656, section 19, and RFC 8489, section 14.8. */
  readonly code: number

  constructor(code: number, reason: string) {
    super(`${code} ${reason}`.trim())
    this.code = code
  }
}

/** A TURN server that serves everybody, without credentials. */
export class TurnServesStrangers extends Error {}

/** An allocation at a TURN server (RFC 8656): an address there, from which it sends to permitted peers. */
export class TurnAllocation {
  readonly #connection: TurnConnection
  readonly #credentials: Pick<IceServer, 'username' | 'credential'>
  #realm: Buffer = Buffer.alloc(0)
  #nonce: Buffer = Buffer.alloc(0)

  private constructor(connection: TurnConnection, credentials: Pick<IceServer, 'username' | 'credential'>) {
    this.#connection = connection
    this.#credentials = credentials
  }

  /** @throws TurnRefusal, TurnServesStrangers */
  static async make(
    connection: TurnConnection,
    credentials: Pick<IceServer, 'username' | 'credential'>,
  ): Promise<TurnAllocation> {
    const allocation = new TurnAllocation(connection, credentials)
    await allocation.#introduce()
    await allocation.#request(ALLOCATE, () => [WANTED])
    return allocation
  }

  /** Asks whether it may send to an IPv4 address. @throws TurnRefusal, 403 where the server forbids it */
  async permit(address: string): Promise<void> {
    await this.#request(CREATE_PERMISSION, (transactionId) => [
      stunAttribute(XOR_PEER_ADDRESS, xorAddress(transactionId, address, 0)),
    ])
  }

  /** Gives the allocation back. */
  async release(): Promise<void> {
    await this.#request(REFRESH, () => [stunAttribute(LIFETIME, Buffer.alloc(4))])
  }

  /** Asks as a stranger. The refusal has what credentials are sealed with. */
  async #introduce(): Promise<void> {
    const header = writeStunHeader(ALLOCATE, randomBytes(12))
    header.writeUInt16BE(WANTED.length, 2)
    const answer = await this.#connection.ask(Buffer.concat([header, WANTED]))
    if (!isError(answer)) throw new TurnServesStrangers()
    const refusal = this.#refusalIn(answer)
    if (refusal.code !== UNAUTHENTICATED) throw refusal
  }

  async #request(method: number, attributes: (transactionId: Buffer) => Buffer[]): Promise<void> {
    const transactionId = randomBytes(12)
    const { username, credential } = this.#credentials
    const key = createHash('md5').update(`${username}:${this.#realm}:${credential}`).digest()
    const own = [
      stunAttribute(USERNAME, Buffer.from(username)),
      stunAttribute(REALM, this.#realm),
      stunAttribute(NONCE, this.#nonce),
    ]
    const request = sealStun(method, transactionId, [...attributes(transactionId), ...own], key)
    const answer = await this.#connection.ask(request)
    if (isError(answer)) throw this.#refusalIn(answer)
  }

  /** Reads an error response, and keeps what the next request needs of it. */
  #refusalIn(answer: Buffer): TurnRefusal {
    const told = attributesOf(answer)
    this.#realm = told.get(REALM) ?? this.#realm
    this.#nonce = told.get(NONCE) ?? this.#nonce
    const error = told.get(ERROR_CODE)
    if (!error || error.length < 4) return new TurnRefusal(0, 'without a reason')
    return new TurnRefusal((error[2]! & 7) * 100 + error[3]!, error.toString('utf8', 4))
  }
}

const isError = (answer: Buffer) => (answer.readUInt16BE(0) & ERROR) === ERROR

function attributesOf(message: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>()
  let at = HEADER_BYTES
  while (at + 4 <= message.length) {
    const length = message.readUInt16BE(at + 2)
    found.set(message.readUInt16BE(at), message.subarray(at + 4, at + 4 + length))
    at += 4 + ((length + 3) & ~3)
  }
  return found
}
