import { setTimeout as sleep } from 'node:timers/promises'
import type { Authorization, Client, Order } from 'acme-client'
import type { KeyedCertificate } from '../tls/authority.ts'
import type { Challenges } from './challenges.ts'
import type { openAccount } from './client.ts'
import { AcmeProblem, NameUnproven, problemOf } from './problem.ts'

/** The ways in which the authority can check that a name is ours. */
export type Way = 'http-01' | 'tls-alpn-01'

/** Waits between looks at what the authority does, in milliseconds. The last one repeats. */
const LOOK_AFTER_MS = [250, 500, 1000, 2000, 4000, 5000]
const LOOKS = 30

/** What an order needs. */
export interface OrderParts extends Awaited<ReturnType<typeof openAccount>> {
  challenges: Challenges
  /** The ways to try, one after the other. */
  ways: readonly Way[]
  /** Ends the waits. */
  signal: AbortSignal
}

/**
 * Gets a certificate for one name, with a new key. A name that cannot be proven in one way is proven in the next, by an
 * order of its own: a challenge that failed ends its order (RFC 8555, section 7.1.6).
 * @throws AcmeProblem, an error of the network, or whatever garbage from the authority leads to
 */
export async function orderCertificate(name: string, parts: OrderParts): Promise<KeyedCertificate> {
  const refusals: NameUnproven[] = []
  for (const way of parts.ways) {
    try {
      return await orderBy(way, name, parts)
    } catch (error) {
      if (!(error instanceof NameUnproven)) throw error
      refusals.push(error)
    }
  }
  const said = refusals.map(({ message }, index) => `${parts.ways[index]}: ${message}`).join('. ')
  throw new NameUnproven(said, refusals.at(-1)?.type)
}

async function orderBy(way: Way, name: string, parts: OrderParts): Promise<KeyedCertificate> {
  const { client, library, signal } = parts
  const order = await client.createOrder({ identifiers: [{ type: 'dns', value: name }] })
  for (const authorization of await client.getAuthorizations(order)) {
    // Authorities remember earlier checks for a while.
    if (authorization.status !== 'valid') await prove(way, order, authorization, parts)
  }
  await orderIs('ready', client, order, signal)
  const key = await library.crypto.createPrivateEcdsaKey()
  const [, request] = await library.crypto.createCsr({ altNames: [name] }, key)
  await client.finalizeOrder(order, request)
  const done = await orderIs('valid', client, order, signal)
  return { cert: await client.getCertificate(done), key: key.toString() }
}

/** Proves to the authority that the name of an authorization leads to this server. */
async function prove(way: Way, order: Order, authorization: Authorization, parts: OrderParts): Promise<void> {
  const { client, signal } = parts
  // The types of the library lack TLS-ALPN-01.
  const challenge = authorization.challenges.find(({ type }) => (type as string) === way)
  if (!challenge) throw new NameUnproven('the authority does not check names in this way')
  const withdraw = await offer(way, authorization, challenge, parts)
  try {
    await client.completeChallenge(challenge)
    await proven(client, order, authorization, signal)
  } finally {
    withdraw()
  }
}

/** @returns a function that takes the proof away */
async function offer(
  way: Way,
  authorization: Authorization,
  challenge: Authorization['challenges'][number],
  { client, library, challenges }: OrderParts,
): Promise<() => void> {
  const answer = await client.getChallengeKeyAuthorization(challenge)
  if (way === 'http-01') return challenges.offerHttp(challenge.token, answer)
  const proofKey = await library.crypto.createPrivateEcdsaKey()
  const [key, cert] = await library.crypto.createAlpnCertificate(authorization, answer, proofKey)
  return challenges.offerTls(authorization.identifier.value, { key: key.toString(), cert: cert.toString() })
}

async function proven(
  client: Client,
  order: Order,
  { url, identifier }: Authorization,
  signal: AbortSignal,
): Promise<void> {
  await lookUntil(`check ${identifier.value}`, signal, async () => {
    const [now] = await client.getAuthorizations({ ...order, authorizations: [url] })
    if (now?.status === 'valid') return true
    if (now?.status === 'pending') return undefined
    const failed = now?.challenges.find(({ error }) => error !== undefined)
    const { message, type } = problemOf(failed?.error, 'the authority did not accept the proof')
    throw new NameUnproven(message, type)
  })
}

function orderIs(
  wanted: 'ready' | 'valid',
  client: Client,
  order: Order,
  signal: AbortSignal,
): Promise<Order> {
  return lookUntil(wanted === 'ready' ? 'accept the proof' : 'issue the certificate', signal, async () => {
    const now = await client.getOrder(order)
    if (now.status === wanted || now.status === 'valid') return now
    if (now.status !== 'invalid') return undefined
    throw problemOf(now.error, 'the authority gave up the order')
  })
}

/** Looks again and again until there is a result. @param what the authority is to do, for the error */
async function lookUntil<T>(
  what: string,
  signal: AbortSignal,
  look: () => Promise<T | undefined>,
): Promise<T> {
  for (let i = 0; i < LOOKS; i++) {
    const result = await look()
    if (result !== undefined) return result
    await sleep(LOOK_AFTER_MS[i] ?? LOOK_AFTER_MS.at(-1), undefined, { signal, ref: false })
  }
  throw new AcmeProblem(`the authority took too long to ${what}`)
}
