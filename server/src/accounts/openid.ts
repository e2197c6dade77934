import type { Configuration } from 'openid-client'
import { recordAct, SERVER } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Role } from '../resources/roles.ts'
import { seal, unseal } from '../secrets/sealing.ts'
import type { UserRecord } from '../storage/records.ts'
import { type Storage, UniqueViolation } from '../storage/storage.ts'
import { type Claims, nameByClaims, roleByRules } from './openid-rules.ts'
import { newUser } from './users.ts'

/** Why a sign-in by the provider failed; the sign-in page has words for each. */
export type OpenIdProblem =
  | 'openid-unreachable'
  | 'openid-refused'
  | 'openid-expired'
  | 'openid-no-role'
  | 'openid-name-taken'

/** A sign-in by the provider that failed. */
export class OpenIdFailure extends Error {
  override readonly name = 'OpenIdFailure'
  readonly problem: OpenIdProblem

  constructor(problem: OpenIdProblem, options?: ErrorOptions) {
    super(problem, options)
    this.problem = problem
  }
}

/** Signing in by the operator's OpenID provider: authorization code flow with PKCE (RFC 7636), state and nonce. */
export interface OpenId {
  /** What people call the provider. */
  readonly name: string
  /**
   * @param redirectUri where the provider sends the browser back to
   * @param returnTo path that the person wanted
   * @returns the address of the provider, and a sealed text to keep in the browser
   * @throws OpenIdFailure
   */
  begin(redirectUri: string, returnTo: string): Promise<{ address: string; attempt: string }>
  /**
   * @param address the address that the provider sent the browser to, with its query
   * @param attempt the sealed text that the browser kept
   * @throws OpenIdFailure
   */
  finish(address: URL, attempt: string): Promise<{ user: UserRecord; returnTo: string }>
}

interface Attempt {
  state: string
  nonce: string
  verifier: string
  returnTo: string
  /** Unix milliseconds. */
  until: number
}

/** Time that a person has at the provider, in milliseconds. */
const ATTEMPT_MS = 10 * 60 * 1000
const PROVIDER_TIMEOUT_SECONDS = 10
const CONTEXT = 'openid-attempt'

/** Servers without a provider do without it. */
const library = () => import('openid-client')

export interface OpenIdOptions {
  config: Pick<
    Config,
    'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcName' | 'oidcRoles' | 'oidcProject'
  >
  storage: Storage
  clock: Pick<Clock, 'now'>
  /** 32 bytes. */
  sealingKey: Uint8Array
}

/** @returns null when the operator has configured no provider */
export function createOpenId(options: OpenIdOptions): OpenId | null {
  const { config, storage, clock, sealingKey } = options
  const { oidcIssuer: issuer, oidcClientId: clientId } = config
  if (issuer === null || clientId === null) return null
  const provider = providerOf(issuer, clientId, config.oidcClientSecret)

  return {
    name: config.oidcName ?? new URL(issuer).hostname,

    async begin(redirectUri, returnTo) {
      const client = await library()
      const known = await reachable(provider())
      const attempt: Attempt = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        returnTo,
        until: clock.now() + ATTEMPT_MS,
      }
      const address = client.buildAuthorizationUrl(known, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      })
      return { address: address.href, attempt: seal(sealingKey, CONTEXT, JSON.stringify(attempt)) }
    },

    async finish(address, sealed) {
      const attempt = readAttempt(sealingKey, sealed)
      if (!attempt || attempt.until <= clock.now()) throw new OpenIdFailure('openid-expired')
      const claims = await claimsOf(await reachable(provider()), address, attempt)
      const role = roleByRules(config.oidcRoles, claims)
      if (role === undefined) throw new OpenIdFailure('openid-no-role')
      const projectId = config.oidcProject ?? (await storage.projects.list())[0]?.id ?? ''
      const identity = `${issuer} ${claims.sub}`
      try {
        const user = await keepUser(options, { projectId, identity, role, name: nameByClaims(claims) })
        return { user, returnTo: attempt.returnTo }
      } catch (cause) {
        if (cause instanceof UniqueViolation) throw new OpenIdFailure('openid-name-taken', { cause })
        throw cause
      }
    },
  }
}

/** Finds the provider's addresses and keys at its first use, and again after a failure. */
function providerOf(issuer: string, clientId: string, secret: string | null): () => Promise<Configuration> {
  let known: Promise<Configuration> | undefined
  const discover = async () => {
    const client = await library()
    const options = {
      timeout: PROVIDER_TIMEOUT_SECONDS,
      // The configuration accepts plain HTTP only on this machine.
      ...(issuer.startsWith('http:') && { execute: [client.allowInsecureRequests] }),
    }
    const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), options)
    if (secret === null) return found
    const metadata = found.serverMetadata()
    const ways = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const isBasic = ways.includes('client_secret_basic')
    const authentication = isBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
    const configured = new client.Configuration(metadata, clientId, undefined, authentication)
    configured.timeout = PROVIDER_TIMEOUT_SECONDS
    if (issuer.startsWith('http:')) client.allowInsecureRequests(configured)
    return configured
  }
  return () => {
    known ??= discover().catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
}

async function reachable(finding: Promise<Configuration>): Promise<Configuration> {
  try {
    return await finding
  } catch (cause) {
    throw new OpenIdFailure('openid-unreachable', { cause })
  }
}

/** Exchanges the code, and reads who the person is. The library checks state, nonce, issuer, audience and signature. */
async function claimsOf(provider: Configuration, address: URL, attempt: Attempt): Promise<Claims> {
  const client = await library()
  try {
    const tokens = await client.authorizationCodeGrant(provider, address, {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims) throw new Error('there is no ID token')
    if (!provider.serverMetadata().userinfo_endpoint) return claims
    const more = await client.fetchUserInfo(provider, tokens.access_token, claims.sub)
    return { ...more, ...claims }
  } catch (cause) {
    throw new OpenIdFailure('openid-refused', { cause })
  }
}

function readAttempt(key: Uint8Array, sealed: string): Attempt | undefined {
  try {
    return JSON.parse(unseal(key, CONTEXT, sealed)) as Attempt
  } catch {
    return undefined
  }
}

/** Adds the person as user at the first sign-in, and follows the rules when the role has changed since. */
function keepUser(
  { storage, clock }: OpenIdOptions,
  { projectId, identity, role, name }: { projectId: string; identity: string; role: Role; name: string },
): Promise<UserRecord> {
  const now = clock.now()
  return storage.transaction(async (tx) => {
    const known = await tx.users.findByIdentity(projectId, identity)
    if (known?.role === role) return known
    if (!known) {
      const user = { ...newUser(projectId, name, role, now), identity }
      await tx.users.insert(user)
      const act = { actor: SERVER, action: 'user.add', projectId, target: user.id } as const
      await recordAct(tx, { ...act, details: { name, role, way: 'openid' } }, now)
      return user
    }
    await tx.userSessions.deleteOfUser(projectId, known.id)
    const details = { name: known.name, from: known.role, to: role }
    const act = { actor: SERVER, action: 'user.role', projectId, target: known.id } as const
    await recordAct(tx, { ...act, details }, now)
    return (await tx.users.update(projectId, known.id, { role })) ?? known
  })
}
