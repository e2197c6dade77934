import { createSecureContext, createServer, type SecureContext } from 'node:tls'
import type { KeyedCertificate } from '../tls/authority.ts'
import type { Diversion } from '../tls/diversion.ts'

/** The application protocol of the check over TLS (RFC 8737, section 6.2). */
const PROTOCOL = 'acme-tls/1'
/** The protocol as the list of a client's first message has it: its length before it (RFC 7301, section 3.1). */
const LISTED = Buffer.from(`${String.fromCharCode(PROTOCOL.length)}${PROTOCOL}`, 'latin1')
const HANDSHAKE_TIMEOUT_MS = 10_000

/**
 * The challenges that an ACME server may check now: over plain HTTP (HTTP-01, RFC 8555 section 8.3), and at the port of
 * HTTPS by a protocol of its own (TLS-ALPN-01, RFC 8737).
 */
export interface Challenges {
  /** The answer over plain HTTP; undefined when there is no such challenge. */
  answerTo(token: string): string | undefined
  /** Takes the connections that check a challenge over TLS. */
  readonly diversion: Diversion
  /** @returns a function that takes the challenge away */
  offerHttp(token: string, answer: string): () => void
  /** @param proof certificate for the name that carries the answer @returns a function that takes it away */
  offerTls(name: string, proof: KeyedCertificate): () => void
}

export function createChallenges(): Challenges {
  const answers = new Map<string, string>()
  const proofs = new Map<string, SecureContext>()
  // It says nothing after the handshake: the certificate is the answer.
  const server = createServer(
    {
      ALPNProtocols: [PROTOCOL],
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      SNICallback(name, done) {
        const proof = proofs.get(name.toLowerCase())
        if (proof) done(null, proof)
        else done(new Error('there is no challenge for this name'))
      },
    },
    (socket) => {
      socket.on('error', () => socket.destroy())
      socket.end()
    },
  )
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return {
    answerTo: (token) => answers.get(token),
    diversion: {
      get isOpen() {
        return proofs.size > 0
      },
      // Other clients that have these bytes by chance, or on purpose, get a handshake that fails.
      takes: (hello) => hello.includes(LISTED),
      take: (socket) => server.emit('connection', socket),
    },
    offerHttp: (token, answer) => offer(answers, token, answer),
    offerTls: (name, proof) => offer(proofs, name.toLowerCase(), createSecureContext(proof)),
  }
}

function offer<T>(offers: Map<string, T>, key: string, value: T): () => void {
  offers.set(key, value)
  return () => {
    if (offers.get(key) === value) offers.delete(key)
  }
}
