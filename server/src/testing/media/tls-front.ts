import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createServer, getCACertificates, type Server, setDefaultCACertificates } from 'node:tls'
import { issueCertificate, makeAuthority } from '../../tls/authority.ts'

/** Puts TLS before a server on 127.0.0.1: its certificate is for a name, by an authority that this process trusts until it ends. */
export class TlsFront {
  readonly #server: Server
  readonly #trusted: string[]

  private constructor(server: Server, trusted: string[]) {
    this.#server = server
    this.#trusted = trusted
  }

  static async start(name: string, port: number): Promise<TlsFront> {
    const now = Date.now()
    const authority = await makeAuthority(now)
    const { cert, key } = await issueCertificate(authority, [name], now)
    const trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, authority.cert])
    const server = createServer({ cert, key }, (outer) => {
      const inner = connect(port, '127.0.0.1')
      for (const socket of [outer, inner])
        socket
          .on('error', () => {})
          .on('close', () => {
            outer.destroy()
            inner.destroy()
          })
      outer.pipe(inner)
      inner.pipe(outer)
    })
    server.on('tlsClientError', () => {})
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new TlsFront(server, trusted)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    setDefaultCACertificates(this.#trusted)
    this.#server.close()
    await once(this.#server, 'close')
  }
}
