import { ipBytes } from '../../ice/ip-bytes.ts'
import { Memory } from '../memory.ts'
import { AF_INET, AF_INET6 } from './socket-calls.ts'

/** Bytes of struct sockaddr_in and sockaddr_in6. */
const IPV4_BYTES = 16
const IPV6_BYTES = 28
/** Room for either. */
export const SOCKET_ADDRESS_BYTES = IPV6_BYTES
const PORT_AT = 2
const IPV4_AT = 4
const IPV6_AT = 8

/** An address and port as sockets take it. It does not change, so that it may wait with datagrams that are not sent yet. */
export class SocketAddress {
  readonly #memory: Memory
  /** Bytes of the structure. */
  readonly length: number

  /**
   * @param address numeric
   * @throws {RangeError} where it is no address
   */
  constructor(address: string, port: number) {
    const bytes = ipBytes(address)
    const isIpv4 = bytes.length === 4
    this.length = isIpv4 ? IPV4_BYTES : IPV6_BYTES
    this.#memory = new Memory(this.length)
    const structure = this.#memory.bytes
    structure.writeUInt16LE(isIpv4 ? AF_INET : AF_INET6, 0)
    structure.writeUInt16BE(port, PORT_AT)
    bytes.copy(structure, isIpv4 ? IPV4_AT : IPV6_AT)
  }

  /** For the C library to read. */
  get pointer(): number {
    return this.#memory.at(0, this.length)
  }

  /** As {@link sourceKey} has it. */
  get key(): SourceKey {
    return sourceKey(this.#memory.bytes, 0)
  }
}

/** Equal for equal addresses and ports: a number for IPv4, a text for IPv6. */
export type SourceKey = number | string

/** @param structure where a socket has written the source of a datagram */
export function sourceKey(structure: Buffer, at: number): SourceKey {
  if (structure.readUInt16LE(at) === AF_INET)
    return structure.readUInt32BE(at + IPV4_AT) * 0x10000 + structure.readUInt16BE(at + PORT_AT)
  const port = structure.toString('latin1', at + PORT_AT, at + PORT_AT + 2)
  return port + structure.toString('latin1', at + IPV6_AT, at + IPV6_AT + 16)
}

/** The source of a datagram, as text. @returns null where the structure is of no known family */
export function readSource(structure: Buffer, at: number): { address: string; port: number } | null {
  const family = structure.readUInt16LE(at)
  const port = structure.readUInt16BE(at + PORT_AT)
  if (family === AF_INET)
    return { address: structure.subarray(at + IPV4_AT, at + IPV4_AT + 4).join('.'), port }
  if (family !== AF_INET6) return null
  const groups = Array.from({ length: 8 }, (_, index) => structure.readUInt16BE(at + IPV6_AT + 2 * index))
  return { address: groups.map((group) => group.toString(16)).join(':'), port }
}

/** Addresses of which {@link writeSource} keeps the bytes: reading them takes longer than all else about a datagram. */
const MOST_KEPT = 1024
const kept = new Map<string, Buffer>()

/** Writes the source of a datagram as a socket does it. */
export function writeSource(structure: Buffer, at: number, address: string, port: number): void {
  let bytes = kept.get(address)
  if (!bytes) {
    if (kept.size >= MOST_KEPT) kept.clear()
    bytes = ipBytes(address)
    kept.set(address, bytes)
  }
  const isIpv4 = bytes.length === 4
  structure.writeUInt16LE(isIpv4 ? AF_INET : AF_INET6, at)
  structure.writeUInt16BE(port, at + PORT_AT)
  structure.set(bytes, at + (isIpv4 ? IPV4_AT : IPV6_AT))
}
