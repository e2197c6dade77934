import { Memory } from '../../server/src/media-worker/transport/openssl/memory.ts'
import { SocketAddress } from '../../server/src/media-worker/transport/openssl/udp/socket-address.ts'
import {
  AF_INET,
  IOVEC,
  IPPROTO_IP,
  libc,
  MMSGHDR,
  MSG_DONTWAIT,
  MSGHDR,
  SOCK_DGRAM_NONBLOCK_CLOEXEC,
  SOL_SOCKET,
  SOL_UDP,
} from '../../server/src/media-worker/transport/openssl/udp/socket-calls.ts'

/** Numbers of Linux. */
const SO_RCVBUFFORCE = 33
const SO_RCVBUF = 8
const IP_PKTINFO = 8
const UDP_GRO = 104
/** Holds a keyframe for each of hundreds of viewers while the process does not run. */
const RECEIVE_BUFFER_BYTES = 256 << 20
const MESSAGES = 64
/** The longest run of packets that the system hands over in one piece. */
const LONGEST_RUN = 1 << 16
const NAME_BYTES = 16
const PORT_AT = 2
/** A cmsghdr, and the in_pktinfo of an IPv4 packet: interface, address to send from, address it came to. */
const CMSG_HEADER_BYTES = 16
const INFO_BYTES = 12
const INFO_SPACE = 32
const FROM_AT = CMSG_HEADER_BYTES + 4
const TO_AT = CMSG_HEADER_BYTES + 8
/** With the length of the packets of a run, a number of 32 bits. */
const CONTROL_BYTES = INFO_SPACE + 24
/** 127.1.0.0. Every address that begins with 127 is this machine's. */
const FIRST_ADDRESS = 0x7f010000

/** Takes one datagram, which is valid during the call. @param viewer whose address it came to */
export type OnDatagram = (viewer: number, memory: Memory, at: number, length: number) => void

/**
 * One UDP socket that is thousands of viewers: each has an address of its own below 127.0.0.0/8, so the server sees as many
 * peers, and sends to each by itself. Packets that were sent in one call come in one piece (UDP_GRO), as network cards put
 * them together too. A real crowd costs its machines more; this is about what it costs the server.
 */
export class LoopbackPort {
  readonly port: number
  readonly #onDatagram: OnDatagram
  readonly #socket: number
  readonly #datagrams = new Memory(MESSAGES * LONGEST_RUN)
  readonly #controls = new Memory(MESSAGES * CONTROL_BYTES)
  readonly #names = new Memory(MESSAGES * NAME_BYTES)
  readonly #headers = new Memory(MESSAGES * MMSGHDR.bytes)
  readonly #vectors = new Memory(MESSAGES * IOVEC.bytes)
  readonly #outgoing = new Memory(MSGHDR.bytes)
  readonly #outgoingVector = new Memory(IOVEC.bytes)
  readonly #outgoingControl = new Memory(INFO_SPACE)

  /** @throws where the system has no free port */
  constructor(onDatagram: OnDatagram) {
    this.#onDatagram = onDatagram
    this.#socket = libc.socket(AF_INET, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0)
    const any = new SocketAddress('0.0.0.0', 0)
    if (this.#socket < 0 || libc.bind(this.#socket, any.pointer, any.length) !== 0)
      throw new Error('the system gives no UDP port')
    // As much as the system allows, where it does not allow all of it.
    this.#set(SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER_BYTES)
    this.#set(SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES)
    if (!this.#set(IPPROTO_IP, IP_PKTINFO, 1) || !this.#set(SOL_UDP, UDP_GRO, 1))
      throw new Error('the system tells no destinations of packets, or does not put packets together')
    this.port = this.#boundPort()
    for (let i = 0; i < MESSAGES; i++) this.#prepare(i)
    this.#prepareOutgoing()
  }

  #set(level: number, name: number, value: number): boolean {
    const number = new Memory(4)
    number.bytes.writeInt32LE(value)
    return libc.setsockopt(this.#socket, level, name, number.at(0, 4), 4) === 0
  }

  #boundPort(): number {
    const name = new Memory(NAME_BYTES)
    const length = new Memory(4)
    length.bytes.writeUInt32LE(NAME_BYTES)
    libc.getsockname(this.#socket, name.at(0, NAME_BYTES), length.at(0, 4))
    return name.bytes.readUInt16BE(PORT_AT)
  }

  #prepare(index: number): void {
    const header = index * MMSGHDR.bytes
    const vector = index * IOVEC.bytes
    this.#vectors.writePointer(vector + IOVEC.base, this.#datagrams.at(index * LONGEST_RUN, LONGEST_RUN))
    this.#vectors.bytes.writeUInt32LE(LONGEST_RUN, vector + IOVEC.length)
    this.#headers.writePointer(header + MSGHDR.vector, this.#vectors.at(vector, IOVEC.bytes))
    this.#headers.bytes.writeUInt32LE(1, header + MSGHDR.vectorLength)
    this.#headers.writePointer(header + MSGHDR.name, this.#names.at(index * NAME_BYTES, NAME_BYTES))
    const control = this.#controls.at(index * CONTROL_BYTES, CONTROL_BYTES)
    this.#headers.writePointer(header + MSGHDR.control, control)
  }

  #prepareOutgoing(): void {
    const { bytes } = this.#outgoing
    this.#outgoing.writePointer(MSGHDR.vector, this.#outgoingVector.at(0, IOVEC.bytes))
    bytes.writeUInt32LE(1, MSGHDR.vectorLength)
    this.#outgoing.writePointer(MSGHDR.control, this.#outgoingControl.at(0, INFO_SPACE))
    bytes.writeUInt32LE(INFO_SPACE, MSGHDR.controlLength)
    const control = this.#outgoingControl.bytes
    control.writeUInt32LE(CMSG_HEADER_BYTES + INFO_BYTES, 0)
    control.writeInt32LE(IPPROTO_IP, 8)
    control.writeInt32LE(IP_PKTINFO, 12)
  }

  /** Hands over what has come. */
  poll(): void {
    let count = MESSAGES
    while (count === MESSAGES) {
      count = this.#receive()
      for (let i = 0; i < count; i++) this.#deliver(i)
    }
  }

  /** @returns how many messages have come */
  #receive(): number {
    // The call before has overwritten these with what it needed.
    const headers = this.#headers.bytes
    for (let at = 0; at < headers.length; at += MMSGHDR.bytes) {
      headers.writeUInt32LE(NAME_BYTES, at + MSGHDR.nameLength)
      headers.writeUInt32LE(CONTROL_BYTES, at + MSGHDR.controlLength)
    }
    return libc.recvmmsg(this.#socket, this.#headers.at(0, headers.length), MESSAGES, MSG_DONTWAIT, 0)
  }

  #deliver(index: number): void {
    const headers = this.#headers.bytes
    const header = index * MMSGHDR.bytes
    const control = index * CONTROL_BYTES
    const controlEnd = control + headers.readUInt32LE(header + MSGHDR.controlLength)
    const controls = this.#controls.bytes
    let viewer = -1
    let segmentBytes = 0
    for (let at = control; at + CMSG_HEADER_BYTES < controlEnd; ) {
      if (controls.readInt32LE(at + 8) === SOL_UDP)
        segmentBytes = controls.readInt32LE(at + CMSG_HEADER_BYTES)
      else viewer = controls.readUInt32BE(at + TO_AT) - FIRST_ADDRESS
      at += (controls.readUInt32LE(at) + 7) & ~7
    }
    const length = headers.readUInt32LE(header + MMSGHDR.length)
    const start = index * LONGEST_RUN
    const step = segmentBytes || length
    for (let done = 0; done < length; done += step)
      this.#onDatagram(viewer, this.#datagrams, start + done, Math.min(step, length - done))
  }

  /** Sends a datagram from the address of a viewer. It is lost if the system cannot take it now. */
  send(viewer: number, memory: Memory, at: number, length: number, to: SocketAddress): void {
    this.#outgoingControl.bytes.writeUInt32BE(FIRST_ADDRESS + viewer, FROM_AT)
    this.#outgoingVector.writePointer(IOVEC.base, memory.at(at, length))
    this.#outgoingVector.bytes.writeUInt32LE(length, IOVEC.length)
    this.#outgoing.writePointer(MSGHDR.name, to.pointer)
    this.#outgoing.bytes.writeUInt32LE(to.length, MSGHDR.nameLength)
    libc.sendmsg(this.#socket, this.#outgoing.at(0, MSGHDR.bytes), MSG_DONTWAIT)
  }
}
