import { bind, POINTER, sizeOfStruct } from '../native.ts'

/** Functions of the C library, under their own names. All work on sockets of Linux. */
export const libc = {
  socket: bind<(family: number, type: number, protocol: number) => number>('socket', 'int', [
    'int',
    'int',
    'int',
  ]),
  bind: bind<(socket: number, address: number, length: number) => number>('bind', 'int', [
    'int',
    POINTER,
    'uint32_t',
  ]),
  getsockname: bind<(socket: number, address: number, length: number) => number>('getsockname', 'int', [
    'int',
    POINTER,
    POINTER,
  ]),
  setsockopt: bind<(socket: number, level: number, name: number, value: number, length: number) => number>(
    'setsockopt',
    'int',
    ['int', 'int', 'int', POINTER, 'uint32_t'],
  ),
  /** Bytes sent, or -1. */
  sendmsg: bind<(socket: number, message: number, flags: number) => number>('sendmsg', 'int64_t', [
    'int',
    POINTER,
    'int',
  ]),
  /** Datagrams received, or -1. */
  recvmmsg: bind<(socket: number, messages: number, count: number, flags: number, timeout: number) => number>(
    'recvmmsg',
    'int',
    ['int', POINTER, 'uint32_t', 'int', POINTER],
  ),
  close: bind<(socket: number) => number>('close', 'int', ['int']),
}

/** Numbers of Linux, the same for x64 and arm64. */
export const AF_INET = 2
export const AF_INET6 = 10
export const SOCK_DGRAM_NONBLOCK_CLOEXEC = 2 | 0o4000 | 0o2000000
export const SOL_SOCKET = 1
export const SO_REUSEADDR = 2
export const SO_SNDBUF = 7
export const SO_RCVBUF = 8
export const IPPROTO_IP = 0
export const IP_MTU_DISCOVER = 10
export const IPPROTO_IPV6 = 41
export const IPV6_V6ONLY = 26
export const IPV6_MTU_DISCOVER = 23
/** Packets that are too large for a link on their way are cut up instead of lost. */
export const PMTUDISC_DONT = 0
export const MSG_DONTWAIT = 0x40
export const MSG_TRUNC = 0x20
export const SOL_UDP = 17
export const UDP_SEGMENT = 103

/**
 * Where the fields of these structures lie. The C library's own description of them is not at hand, so their sizes are
 * computed as the compiler does it, and compared.
 */
export const MSGHDR = {
  bytes: 56,
  name: 0,
  nameLength: 8,
  vector: 16,
  vectorLength: 24,
  control: 32,
  controlLength: 40,
  flags: 48,
}
/** A msghdr, the length that was received, and what aligns it. */
export const MMSGHDR = { bytes: 64, length: 56 }
export const IOVEC = { bytes: 16, base: 0, length: 8 }
/** A control message with a number of 16 bits, and what aligns it. */
export const CMSG = { bytes: 24, length: 0, level: 8, type: 12, data: 16, usedBytes: 18 }

const msghdr = [POINTER, 'uint32_t', POINTER, 'size_t', POINTER, 'size_t', 'int'] as const
const sizes = [
  [sizeOfStruct(msghdr), MSGHDR.bytes],
  [sizeOfStruct([POINTER, 'size_t']), IOVEC.bytes],
  [sizeOfStruct(['size_t', 'int', 'int', 'size_t']), CMSG.bytes],
]
for (const [found, expected] of sizes)
  if (found !== expected) throw new Error(`a structure of ${found} bytes should have ${expected}`)
