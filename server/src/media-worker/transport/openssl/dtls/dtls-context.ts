import { opensslError } from '../error-queue.ts'
import { addressOfFunction } from '../native.ts'
import { PROFILES } from '../srtp/session-keys.ts'
import { ssl } from './dtls-calls.ts'

/** Commands of SSL_CTX_ctrl, options and modes in `openssl/ssl.h`. */
const SET_SESSION_CACHE_MODE = 44
const SET_MAX_CERT_LIST = 51
const SET_MIN_PROTO_VERSION = 123
const NO_SESSION_CACHE = 0
const DTLS_1_2 = 0xfefd
const NO_QUERY_MTU = 2 ** 12
const NO_TICKET = 2 ** 14
const NO_RENEGOTIATION = 2 ** 30
const VERIFY_PEER = 1
const FAIL_IF_NO_PEER_CERTIFICATE = 2

/** Certificates of browsers have less than 1 kB; what arrives is kept in memory until it is whole. */
const LONGEST_CERTIFICATE_BYTES = 16 * 1024
/** Forward secret and authenticated, which every browser has (RFC 8827, section 6.5). `protected-records.ts` knows their length. */
const CIPHERS = 'ECDHE+AESGCM'
/** The fastest first. */
const OFFERED_PROFILES = [PROFILES[7], PROFILES[1]].map(({ name }) => name).join(':')

let context = 0

/**
 * What all associations have in common: an SSL_CTX for both roles. It lives as long as the process.
 *
 * Certificates of peers are self-signed, so there is no chain to verify: whoever makes an association compares the fingerprint.
 * OpenSSL wants a C function to accept each certificate, and `RAND_status`, which takes no arguments, serves: it returns 1. That
 * the peer has the certificate's key is verified by OpenSSL as always.
 */
export function dtlsContext(): number {
  if (context !== 0) return context
  const made = ssl.SSL_CTX_new(ssl.DTLS_method())
  if (made === 0) throw opensslError('SSL_CTX_new')
  const done =
    ssl.SSL_CTX_ctrl(made, SET_MIN_PROTO_VERSION, DTLS_1_2, 0) === 1 &&
    ssl.SSL_CTX_set_cipher_list(made, CIPHERS) === 1 &&
    ssl.SSL_CTX_set_tlsext_use_srtp(made, OFFERED_PROFILES) === 0
  if (!done) {
    ssl.SSL_CTX_free(made)
    throw opensslError('SSL_CTX')
  }
  ssl.SSL_CTX_ctrl(made, SET_SESSION_CACHE_MODE, NO_SESSION_CACHE, 0)
  ssl.SSL_CTX_ctrl(made, SET_MAX_CERT_LIST, LONGEST_CERTIFICATE_BYTES, 0)
  ssl.SSL_CTX_set_options(made, NO_QUERY_MTU + NO_TICKET + NO_RENEGOTIATION)
  ssl.SSL_CTX_set_verify(made, VERIFY_PEER | FAIL_IF_NO_PEER_CERTIFICATE, 0)
  ssl.SSL_CTX_set_cert_verify_callback(made, addressOfFunction('RAND_status'), 0)
  context = made
  return context
}
