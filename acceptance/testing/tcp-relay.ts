import { readFile } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A relay between browsers and a server. It can reset or block their connections like a failing network. */
export class TcpRelay {
  readonly port: number
  readonly #server: Server
  readonly #target: { port: number }
  readonly #pairs = new Set<[Socket, Socket]>()

  private constructor(server: Server, port: number, target: { port: number }) {
    this.#server = server
    this.port = port
    this.#target = target
    server.on('connection', (near) => this.#join(near))
  }

  /**
   * Opens a relay on a free port of the loopback interface.
   * @param target where it connects to; the port may be filled in later
   */
  static open(target: { port: number }): Promise<TcpRelay> {
    const server = createServer()
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => {
        const address = server.address()
        resolve(
          new TcpRelay(server, typeof address === 'object' && address !== null ? address.port : 0, target),
        )
      })
    })
  }

  #join(near: Socket): void {
    const far = connect(this.#target.port, '127.0.0.1')
    const pair: [Socket, Socket] = [near, far]
    this.#pairs.add(pair)
    for (const socket of pair) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#pairs.delete(pair)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  }

  /** Resets every connection in both directions. New connections are accepted. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy()
  }

  /** Stops carrying data, without closing anything, as if the other side had vanished. New connections are accepted. */
  freeze(): void {
    for (const [near, far] of this.#pairs) {
      near.unpipe(far).pause()
      far.unpipe(near).pause()
    }
  }

  /** Bytes that the system has accepted for the relay, and that the relay has not read. Linux only. */
  async unreadBytes(): Promise<number> {
    const port = this.port.toString(16).toUpperCase().padStart(4, '0')
    const sockets = (await readFile('/proc/net/tcp', 'utf8'))
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
    return sockets
      .filter(([, local]) => local?.endsWith(`:${port}`))
      .reduce((sum, [, , , , queues = '']) => sum + (Number.parseInt(queues.split(':')[1] ?? '', 16) || 0), 0)
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
