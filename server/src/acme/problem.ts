/** An error that the ACME server answered with, as a problem document (RFC 8555, section 6.7). */
export class AcmeProblem extends Error {
  override readonly name = 'AcmeProblem'
  /** Last part of its type, such as `rateLimited`; empty when the answer was no problem document. */
  readonly type: string
  /** How long the server wants not to be asked again, in milliseconds; 0 if it does not say. */
  readonly retryAfterMs: number

  constructor(message: string, type = '', retryAfterMs = 0) {
    super(message)
    this.type = type
    this.retryAfterMs = retryAfterMs
  }
}

/** The authority did not accept that the name leads to this server. Another way to prove it may do. */
export class NameUnproven extends AcmeProblem {}

const TYPE_PREFIX = 'urn:ietf:params:acme:error:'
const LONGEST_DETAIL = 500

/**
 * Reads an error of the ACME server. Nothing about the answer is taken for granted.
 * @param document the body, or the `error` of an order or challenge
 * @param fallback what to say if the document says nothing
 */
export function problemOf(document: unknown, fallback: string, retryAfterMs = 0): AcmeProblem {
  const { type, detail, subproblems } = (typeof document === 'object' && document ? document : {}) as Document
  const further = Array.isArray(subproblems) ? subproblems : []
  const parts = [detail, ...further.map((sub: Document | null) => sub?.detail)]
  const said = parts.filter((part) => typeof part === 'string' && part !== '').join('; ')
  const text = (said || fallback).replaceAll(/\s+/g, ' ').slice(0, LONGEST_DETAIL)
  const isKnown = typeof type === 'string' && type.startsWith(TYPE_PREFIX)
  return new AcmeProblem(text, isKnown ? type.slice(TYPE_PREFIX.length) : '', retryAfterMs)
}

interface Document {
  type?: unknown
  detail?: unknown
  subproblems?: unknown
}

const REACHABLE =
  'See that the name leads to this server from the internet, at port 80 (PARLEY_HTTP_PORT) or at port 443 (PARLEY_PORT), and that no firewall is in between.'

/** What the operator can do, by the type of the problem. */
const ADVICE: Readonly<Record<string, string>> = {
  accountDoesNotExist: 'Delete tls/acme/account-key.pem in the data folder; a new account is made then.',
  caa: 'A CAA record of the name in the DNS forbids this authority. Change it.',
  connection: REACHABLE,
  dns: 'The DNS has no address of the name that the authority sees. Add an A or AAAA record.',
  externalAccountRequired:
    'This authority wants an account made elsewhere, which is not supported. Use another one.',
  incorrectResponse: REACHABLE,
  invalidContact: 'Correct PARLEY_ACME_EMAIL.',
  rateLimited: 'Wait: the next attempt is made when the authority allows it.',
  rejectedIdentifier: 'This authority gives no certificates for the name. Correct PARLEY_PUBLIC_URL.',
  serverInternal: 'The authority has a problem of its own. Wait.',
  tls: REACHABLE,
  unauthorized: `Something else than this server answers for the name. ${REACHABLE}`,
  unsupportedContact: 'Correct PARLEY_ACME_EMAIL.',
  userActionRequired: 'The authority has new terms; visit its website.',
}

const NETWORK_ADVICE: Readonly<Record<string, string>> = {
  ENOTFOUND:
    'The name in PARLEY_ACME_DIRECTORY_URL leads nowhere: correct it, or mend the DNS of this machine.',
  ECONNREFUSED: 'Nothing answers at PARLEY_ACME_DIRECTORY_URL: correct it, or start the authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Name the authority of the ACME server by PARLEY_ACME_CA.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Name the authority of the ACME server by PARLEY_ACME_CA.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Name the authority of the ACME server by PARLEY_ACME_CA.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Name the authority of the ACME server by PARLEY_ACME_CA.',
  CERT_HAS_EXPIRED: 'See whether the clock of this machine is right.',
  CERT_NOT_YET_VALID: 'See whether the clock of this machine is right.',
  ERR_CANCELED: 'The authority took too long. Wait.',
  ENOSPC: 'Make room in the data folder.',
  EROFS: 'Make the data folder writable: without it the certificate would be lost with each restart.',
  EACCES: 'Make the data folder writable: without it the certificate would be lost with each restart.',
}

/** What the operator can do about an error; empty if there is nothing to say. */
export function adviceFor(error: unknown): string {
  if (error instanceof AcmeProblem) return ADVICE[error.type] ?? ''
  const { code } = (error ?? {}) as { code?: unknown }
  return (
    NETWORK_ADVICE[String(code)] ?? 'See that PARLEY_ACME_DIRECTORY_URL is an ACME server and can be reached.'
  )
}
