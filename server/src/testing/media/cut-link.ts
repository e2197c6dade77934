import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP connection that passes through here, and can be cut or held up. */
export class CutLink {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  static async open(target: { host: string; port: number }): Promise<CutLink> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new CutLink(server, target)
  }

  private constructor(server: Server, target: { host: string; port: number }) {
    this.#server = server
    server.on('connection', (near) => {
      const far = connect({ ...target, noDelay: true })
      for (const socket of [near, far]) {
        this.#sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          this.#sockets.delete(socket)
          near.destroy()
          far.destroy()
        })
      }
      near.on('data', (bytes) => far.write(bytes))
      far.on('data', (bytes) => near.write(bytes))
    })
  }

  get address(): { host: string; port: number } {
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port }
  }

  /** Ends the connections. Others can be made. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Reads nothing any more, from either side. */
  hold(): void {
    for (const socket of this.#sockets) socket.pause()
  }

  /** Reads on. */
  release(): void {
    for (const socket of this.#sockets) socket.resume()
  }

  close(): void {
    this.cut()
    this.#server.close()
  }
}
