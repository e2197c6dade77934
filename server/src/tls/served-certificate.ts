import { X509Certificate } from 'node:crypto'
import type { Server as HttpsServer } from 'node:https'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { KeyedCertificate } from './authority.ts'

/**
 * The certificates that the server serves now. They can be replaced while connections are open; those keep theirs.
 *
 * The first certificate, the server's own or the operator's, is for every name that has no issued one. The one issued
 * for the main name takes its place for clients that name none.
 */
export class ServedCertificate {
  readonly #mainName: string | null
  #first: KeyedCertificate
  #main: KeyedCertificate | null = null
  #parsed: X509Certificate
  readonly #issued = new Map<string, SecureContext>()
  #server: HttpsServer | null = null

  /** @param mainName name of the server; null when no certificates are issued for it */
  constructor(first: KeyedCertificate, mainName: string | null) {
    this.#first = first
    this.#mainName = mainName
    this.#parsed = new X509Certificate(first.cert)
  }

  /** What clients get that name no host. */
  get parsed(): X509Certificate {
    return this.#parsed
  }

  /** Whether the main name has an issued certificate. */
  get isIssued(): boolean {
    return this.#main !== null
  }

  /** Options for a TLS server. */
  get options() {
    return {
      ...(this.#main ?? this.#first),
      SNICallback: (name: string, done: (error: Error | null, context?: SecureContext) => void) =>
        done(null, this.#issued.get(name.toLowerCase())),
    }
  }

  /** Makes a server, which was made with {@link options}, serve every later certificate too. */
  attach(server: HttpsServer): void {
    this.#server = server
    server.setSecureContext(this.#main ?? this.#first)
  }

  /** @throws Error when it cannot be used; the present one stays then */
  replaceFirst(pair: KeyedCertificate): void {
    const parsed = new X509Certificate(pair.cert)
    if (this.#main === null) {
      this.#server?.setSecureContext(pair)
      this.#parsed = parsed
    }
    this.#first = pair
  }

  /** Serves what was issued for a name. @throws Error when it cannot be used; the present one stays then */
  issue(name: string, pair: KeyedCertificate): void {
    const context = createSecureContext(pair)
    const parsed = new X509Certificate(pair.cert)
    if (name === this.#mainName) {
      this.#server?.setSecureContext(pair)
      this.#main = pair
      this.#parsed = parsed
    }
    this.#issued.set(name, context)
  }
}
