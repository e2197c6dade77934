import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { isRtcp } from '../../server/src/media-worker/transport/rtp/rtp-packet.ts'

/** Holds a keyframe and the pictures after it, as the buffers of browsers do. */
const RECEIVE_BUFFER_BYTES = 1 << 20

/**
 * A UDP socket between a client's native connection and the server. Connectivity checks, DTLS and control packets pass
 * both ways. Media from the server ends here: its headers are not encrypted, and nobody looks at its payload. So the
 * packets are not decrypted, and many receivers fit into one process.
 */
export class Wire {
  /** Receives each media packet of the server, with an encrypted payload. */
  onMedia: (packet: Buffer) => void = () => {}
  readonly #socket: Socket
  #server = { host: '', port: 0 }
  /** Of the native connection. Known from its first check. */
  #nativePort = 0

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('message', (packet, { address, port }) => {
      if (port === this.#server.port && address === this.#server.host) {
        if (packet[0]! >> 6 === 2 && !isRtcp(packet)) this.onMedia(packet)
        else if (this.#nativePort > 0) socket.send(packet, this.#nativePort, '127.0.0.1')
      } else {
        this.#nativePort = port
        if (this.#server.port > 0) socket.send(packet, this.#server.port, this.#server.host)
      }
    })
    socket.on('error', () => {})
  }

  static async open(): Promise<Wire> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: RECEIVE_BUFFER_BYTES })
    const wire = new Wire(socket)
    socket.bind(0)
    await once(socket, 'listening')
    return wire
  }

  /** @returns where the native connection has to send to */
  connect(server: { host: string; port: number }): { host: string; port: number } {
    this.#server = server
    return { host: '127.0.0.1', port: (this.#socket.address() as AddressInfo).port }
  }

  close(): void {
    this.#socket.close()
  }
}
