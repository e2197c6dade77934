import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** Claims of the people whom a provider for tests knows, by their subject. */
export type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** A real OpenID provider on this machine. Whoever comes is signed in as `present`, without a page. */
export interface TestOpenIdProvider {
  issuer: string
  /** Subject of the person at the browser; null for somebody who declines. */
  present: string | null
  stop(): Promise<void>
}

export const CLIENT = { id: 'parley', secret: 'a secret of the tests' }

/** @param redirectUris addresses that the provider may send browsers back to */
export async function startOpenIdProvider(
  people: People,
  redirectUris: () => string[],
): Promise<TestOpenIdProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {}
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const running: TestOpenIdProvider = {
    issuer,
    present: null,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
  const make = () =>
    new Provider(issuer, {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: redirectUris() }],
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['preferred_username', 'groups'],
      },
      findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      cookies: { keys: ['keys of the tests'] },
      pkce: { required: () => true },
      async loadExistingGrant(context) {
        const { session, client } = context.oidc
        const grant = new context.oidc.provider.Grant({
          clientId: client?.clientId ?? '',
          accountId: session?.accountId ?? '',
        })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
    })
  let provider: Provider | undefined
  handle = (request, response) => {
    // The address of the client is known only when its server runs.
    provider ??= make()
    const { present } = running
    if (!request.url?.startsWith('/interaction/')) return provider.callback()(request, response)
    const outcome = present === null ? { error: 'access_denied' } : { login: { accountId: present } }
    void provider.interactionFinished(request, response, outcome)
  }
  return running
}
