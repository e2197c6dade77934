import { createOwnAccounts } from '../accounts/own-account.ts'
import { createUsers } from '../accounts/users.ts'
import { SERVER } from '../audit/audit.ts'
import type { Role } from '../resources/roles.ts'
import { createPasswordHashes } from '../secrets/password-hash.ts'
import type { Storage } from '../storage/storage.ts'
import type { TestAnswer, TestRequest, TestServer } from './server-for-tests.ts'

export const PASSWORD = 'grey otters juggle lemons'

/** As browsers send it for requests of a page's scripts. */
export const FROM_PAGE = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }

/** Adds a user with the password {@link PASSWORD}, as an owner and the invited person would. @returns its id */
export async function addUser(
  storage: Storage,
  projectId: string,
  name: string,
  role: Role,
): Promise<string> {
  const clock = { now: () => Date.now() }
  const { id, secret } = await createUsers({ storage, clock }).add(projectId, name, role, SERVER)
  const accounts = createOwnAccounts({ storage, clock, passwords: createPasswordHashes() })
  const invitation = await accounts.readInvitation(secret)
  if (!invitation) throw new Error('the invitation is not valid')
  await accounts.accept(invitation, null, PASSWORD)
  return id
}

/** Leaves out headers that a test sets to an empty text, to send a request without them. */
export const withoutEmpty = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))

/** Sends the name and a password as the page does. */
export const enter = (
  server: TestServer,
  name: string,
  password = PASSWORD,
  more: Pick<TestRequest, 'headers' | 'body'> = {},
): Promise<TestAnswer> =>
  server.call('/api/dashboard/session', {
    method: 'PUT',
    credentials: null,
    body: { name, password, ...(more.body as object) },
    headers: withoutEmpty({ ...FROM_PAGE, ...more.headers }),
  })

/** The cookie of an answer, as the browser sends it back; empty if the answer deletes it. */
export function cookieIn({ headers }: TestAnswer): string {
  const lines = [headers['set-cookie'] ?? []].flat()
  const [pair = ''] = lines.find((line) => line.startsWith('__Host-parley='))?.split(';') ?? []
  return pair.endsWith('=') ? '' : pair
}

/** A browser in which a user has signed in. */
export interface SignedInBrowser {
  cookie: string
  csrf: string
  /** Sends a request as a page with this session does. */
  call(path: string, options?: TestRequest): Promise<TestAnswer>
}

/** Signs a user in, who has the password {@link PASSWORD}. */
export async function signIn(server: TestServer, name: string): Promise<SignedInBrowser> {
  return browserWith(server, cookieIn(await enter(server, name)))
}

/** The browser that has a cookie. */
export async function browserWith(server: TestServer, cookie: string): Promise<SignedInBrowser> {
  const base = { credentials: null, headers: { ...FROM_PAGE, cookie } } as const
  const { csrf_token: csrf } = (await server.call('/api/dashboard/me', base)).json
  return {
    cookie,
    csrf,
    call: (path, options = {}) =>
      server.call(path, {
        ...base,
        ...options,
        headers: { ...base.headers, 'x-csrf-token': csrf, ...options.headers },
      }),
  }
}
