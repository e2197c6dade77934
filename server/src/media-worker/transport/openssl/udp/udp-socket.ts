import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { constants } from 'node:os'
import { Memory } from '../memory.ts'
import { lastError } from '../native.ts'
import { IncomingBatch } from './incoming-batch.ts'
import { OutgoingMessage } from './outgoing-message.ts'
import { SendQueue } from './send-queue.ts'
import { SocketAddress } from './socket-address.ts'
import {
  AF_INET,
  AF_INET6,
  IP_MTU_DISCOVER,
  IPPROTO_IP,
  IPPROTO_IPV6,
  IPV6_MTU_DISCOVER,
  IPV6_V6ONLY,
  libc,
  PMTUDISC_DONT,
  SO_RCVBUF,
  SO_REUSEADDR,
  SO_SNDBUF,
  SOCK_DGRAM_NONBLOCK_CLOEXEC,
  SOL_SOCKET,
} from './socket-calls.ts'

const { EADDRINUSE, EAGAIN, EACCES, EINVAL, EIO, EMSGSIZE, ENOBUFS } = constants.errno
/** As much as the system allows is given. */
const BUFFER_BYTES = 8 * 1024 * 1024
/** Batches that are handled before other work gets its turn. */
const MOST_BATCHES = 2
const RETRY_MS = 1

/**
 * Takes a datagram, which is valid during the call.
 * @param sourceAt where its source lies in `sources`
 */
export type OnDatagram = (
  memory: Memory,
  at: number,
  length: number,
  sources: Memory,
  sourceAt: number,
) => void

/** One UDP socket for one family, whose datagrams are sent and received by system calls of ours. */
export class UdpSocket {
  readonly family: 4 | 6
  readonly port: number
  /** Node's view of the same socket, whose only use is to tell when there is something to receive. It closes the socket. */
  readonly #bell: Socket
  readonly #batch = new IncomingBatch()
  readonly #message = new OutgoingMessage()
  readonly #queue = new SendQueue()
  readonly #onDatagram: OnDatagram
  #socket: number
  #retry: NodeJS.Timeout | undefined
  #segments = true

  private constructor(socket: number, family: 4 | 6, port: number, onDatagram: OnDatagram) {
    this.#socket = socket
    this.family = family
    this.port = port
    this.#onDatagram = onDatagram
    this.#bell = createSocket({ type: family === 6 ? 'udp6' : 'udp4' })
    this.#bell.on('message', (datagram, from) => this.#onBell(datagram, from))
    // Errors of earlier sends. An unreachable peer is noticed by its silence.
    this.#bell.on('error', () => {})
    this.#bell.bind({ fd: socket })
    // libuv sets it, and then others could take the port too.
    setOption(socket, SOL_SOCKET, SO_REUSEADDR, 0)
  }

  /**
   * Binds a port.
   * @param port 0 for any
   * @param address numeric; all of the family by default
   * @param beside has this port at all addresses, and leaves to the new socket what comes to this one
   * @returns why the port is not to be had, where it is not
   */
  static open(
    family: 4 | 6,
    port: number,
    address: string | undefined,
    onDatagram: OnDatagram,
    beside: UdpSocket | null = null,
  ): UdpSocket | 'taken' | 'no such family' {
    const socket = libc.socket(family === 6 ? AF_INET6 : AF_INET, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0)
    if (socket < 0) return 'no such family'
    if (family === 6) setOption(socket, IPPROTO_IPV6, IPV6_V6ONLY, 1)
    const own = new SocketAddress(address ?? (family === 6 ? '::' : '0.0.0.0'), port)
    const error = beside ? beside.#bindBeside(socket, own) : bind(socket, own)
    if (error !== 0) {
      libc.close(socket)
      return error === EADDRINUSE || error === EACCES ? 'taken' : 'no such family'
    }
    if (family === 6) setOption(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, PMTUDISC_DONT)
    else setOption(socket, IPPROTO_IP, IP_MTU_DISCOVER, PMTUDISC_DONT)
    setOption(socket, SOL_SOCKET, SO_SNDBUF, BUFFER_BYTES)
    setOption(socket, SOL_SOCKET, SO_RCVBUF, BUFFER_BYTES)
    return new UdpSocket(socket, family, portOf(socket), onDatagram)
  }

  /** Linux lets two sockets have a port where both want it at that moment, and gives datagrams to the one of the address. */
  #bindBeside(socket: number, own: SocketAddress): number {
    const both = this.#socket < 0 ? [socket] : [socket, this.#socket]
    for (const each of both) setOption(each, SOL_SOCKET, SO_REUSEADDR, 1)
    const error = bind(socket, own)
    for (const each of both) setOption(each, SOL_SOCKET, SO_REUSEADDR, 0)
    return error
  }

  /** Whether the system cuts large datagrams for us. */
  get usesSegmentation(): boolean {
    return this.#segments
  }

  /**
   * Sends bytes, as one datagram or as several.
   * @param segmentBytes size of each datagram but the last, or 0 for a single one
   * @returns whether all went out, or waits to do so
   */
  send(memory: Memory, at: number, length: number, segmentBytes: number, to: SocketAddress): boolean {
    if (this.#socket < 0) return false
    const done = this.#queue.oldest ? 0 : this.#transmit(memory, at, length, segmentBytes, to)
    if (done === length) return true
    if (done < 0) return false
    const added = this.#queue.add(memory, at + done, length - done, segmentBytes, to)
    this.#retry ??= setTimeout(() => this.#sendQueued(), RETRY_MS)
    return added
  }

  /** @returns how many bytes the system has taken, less than `length` where it takes no more at present, or -1 */
  #transmit(memory: Memory, at: number, length: number, segmentBytes: number, to: SocketAddress): number {
    if (segmentBytes > 0 && length > segmentBytes && this.#segments) {
      if (this.#message.send(this.#socket, memory, at, length, segmentBytes, to)) return length
      const error = lastError()
      if (isFull(error)) return 0
      // EIO: the network card cannot. The others may be due to the route to this peer alone.
      if (error === EIO) this.#segments = false
      else if (error !== EINVAL && error !== EMSGSIZE) return -1
    }
    const step = segmentBytes || length
    for (let done = 0; done < length; done += step) {
      const bytes = Math.min(step, length - done)
      if (this.#message.send(this.#socket, memory, at + done, bytes, 0, to)) continue
      return isFull(lastError()) ? done : -1
    }
    return length
  }

  #sendQueued(): void {
    this.#retry = undefined
    let queued = this.#queue.oldest
    while (queued) {
      const { at, length, segmentBytes, to } = queued
      const done = this.#transmit(this.#queue.memory, at, length, segmentBytes, to)
      if (done >= 0 && done < length) {
        queued.at += done
        queued.length -= done
        this.#retry = setTimeout(() => this.#sendQueued(), RETRY_MS)
        return
      }
      this.#queue.shift()
      queued = this.#queue.oldest
    }
  }

  /** Takes the datagram that Node has received, and then what else has arrived. */
  #onBell(datagram: Buffer, { address, port }: RemoteInfo): void {
    const batch = this.#batch
    if (batch.take(datagram, address, port)) this.#deliver(0, datagram.length)
    for (let batches = 0; batches < MOST_BATCHES && this.#socket >= 0; batches++) {
      const count = batch.receive(this.#socket)
      for (let i = 0; i < count; i++) this.#deliver(i, batch.lengthOf(i))
      if (count < batch.capacity) return
    }
  }

  #deliver(index: number, length: number): void {
    if (length === 0 || this.#socket < 0) return
    const { datagrams, sources } = this.#batch
    this.#onDatagram(datagrams, this.#batch.placeOf(index), length, sources, this.#batch.sourceOf(index))
  }

  /** Idempotent. What waits is dropped. */
  close(): void {
    if (this.#socket < 0) return
    this.#socket = -1
    clearTimeout(this.#retry)
    this.#queue.clear()
    this.#bell.close()
  }
}

function isFull(error: number): boolean {
  return error === EAGAIN || error === ENOBUFS
}

/** @returns `errno`, or 0 */
function bind(socket: number, own: SocketAddress): number {
  return libc.bind(socket, own.pointer, own.length) === 0 ? 0 : lastError()
}

const option = new Memory(4)

/** What the system does not know is left as it is: all of these are improvements. */
function setOption(socket: number, level: number, name: number, value: number): void {
  option.bytes.writeInt32LE(value)
  libc.setsockopt(socket, level, name, option.at(0, 4), 4)
}

function portOf(socket: number): number {
  const address = new Memory(28)
  const length = new Memory(4)
  length.bytes.writeUInt32LE(address.length)
  const done = libc.getsockname(socket, address.at(0, address.length), length.at(0, 4))
  return done === 0 ? address.bytes.readUInt16BE(2) : 0
}
