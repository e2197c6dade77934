import type { Memory } from '../../server/src/media-worker/transport/openssl/memory.ts'
import {
  readSource,
  SocketAddress,
  type SourceKey,
  sourceKey,
} from '../../server/src/media-worker/transport/openssl/udp/socket-address.ts'
import { isRtcp } from '../../server/src/media-worker/transport/rtp/rtp-packet.ts'
import { PolledSocket } from './polled-socket.ts'

/** An IPv4 address and a UDP port. */
export interface Place {
  host: string
  port: number
}

/**
 * A UDP socket between a client's native connection and the server. Connectivity checks, DTLS and control packets pass
 * both ways. Media from the server ends here: its headers are not encrypted, and nobody looks at its payload. So the
 * packets are not decrypted, and many receivers fit into one process.
 */
export class Wire {
  /** Receives each media packet of the server, with an encrypted payload. It is valid during the call. */
  onMedia: (packet: Buffer) => void = () => {}
  readonly #socket = new PolledSocket((...datagram) => this.#onDatagram(...datagram))
  #server: { key: SourceKey; address: SocketAddress } | null = null
  /** Of the native connection. Known from its first check. */
  #native: SocketAddress | null = null

  /** Takes what has come. Called every few milliseconds. */
  poll(): void {
    this.#socket.poll()
  }

  #onDatagram(memory: Memory, at: number, length: number, sources: Memory, sourceAt: number): void {
    const server = this.#server
    if (!server) return
    if (sourceKey(sources.bytes, sourceAt) !== server.key) {
      this.#native ??= nativeAddress(sources, sourceAt)
      this.#socket.send(memory, at, length, server.address)
      return
    }
    const packet = memory.bytes.subarray(at, at + length)
    if (length > 12 && packet[0]! >> 6 === 2 && !isRtcp(packet)) this.onMedia(packet)
    else if (this.#native) this.#socket.send(memory, at, length, this.#native)
  }

  /** @returns where the native connection has to send to */
  connect(server: Place): Place {
    const address = new SocketAddress(server.host, server.port)
    this.#server = { address, key: address.key }
    return { host: '127.0.0.1', port: this.#socket.port }
  }

  close(): void {
    this.#socket.close()
  }
}

function nativeAddress(sources: Memory, at: number): SocketAddress | null {
  const source = readSource(sources.bytes, at)
  return source && new SocketAddress(source.address, source.port)
}
