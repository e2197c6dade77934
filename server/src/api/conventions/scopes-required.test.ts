import { fastify } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_SCOPES } from '../../projects/scopes.ts'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import type { Scope } from '../../storage/records.ts'
import { sampleApiToken } from '../../testing/sample-records.ts'
import { startTestServer, type TestRequest, type TestServer } from '../../testing/server-for-tests.ts'
import { useRequiredScopes } from './scopes-required.ts'
import { BASIC, BEARER, documentSecurity } from './security-schemes.ts'

/** The only scope that each family admits; null for families that are only for end users. */
const FAMILIES: readonly (readonly [prefix: string, scope: Scope | null])[] = [
  ['POST /api/fabric/guests/', null],
  ['GET /api/video/invitation', null],
  ['/api/fabric/', 'video'],
  ['/api/video/', 'video'],
  ['/api/messaging/', 'messaging'],
  ['/api/laml/', 'calling'],
  ['/api/chat/', 'chat'],
  ['/api/pubsub/', 'pubsub'],
  ['/api/management/', 'management'],
  ['DELETE /api/dashboard/session', null],
  ['GET /api/dashboard/sessions', null],
  ['/api/dashboard/password', null],
  ['/api/dashboard/sign_in_link', null],
  ['/api/dashboard/workers', 'management'],
  ['/api/dashboard/checkup', 'management'],
  ['/api/dashboard/requests', 'management'],
  ['/api/dashboard/server/', 'management'],
  ['/api/dashboard/', 'video'],
]

function scopeOf(operation: string): Scope | null | undefined {
  const path = operation.slice(operation.indexOf(' ') + 1)
  return FAMILIES.find(([prefix]) => operation.startsWith(prefix) || path.startsWith(prefix))?.[1]
}

interface Document {
  paths: Record<string, Record<string, { security: Record<string, string[]>[] }>>
}

describe('every operation of the API document', () => {
  let server: TestServer
  let security: Map<string, readonly Record<string, string[]>[]>
  beforeAll(async () => {
    server = await startTestServer({
      PARLEY_REQUESTS_PER_MINUTE: '0',
      PARLEY_FAILED_SIGN_INS_PER_MINUTE: '0',
    })
    const { paths } = (await server.call('/docs/openapi.json', { credentials: null })).json as Document
    security = new Map(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          // Who signs in has no credentials yet.
          .filter(([, operation]) => operation.security.length > 0)
          .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation.security]),
      ),
    )
    for (const scope of ALL_SCOPES) {
      const hash = hashApiToken(`token-for-${scope}`)
      await server.storage.apiTokens.insert(
        sampleApiToken({ project_id: server.projectId, hash, scopes: [scope] }),
      )
    }
  })
  afterAll(() => server.stop())

  /** Whether an operation admits a token that has only this scope. */
  async function admission(operation: string, scope: Scope): Promise<'in' | 'out'> {
    const [method = '', path = ''] = operation.split(' ')
    const { status, json } = await server.call(
      path.replaceAll(/\{(\w+)\}/g, (_, name) => parameter(name)),
      {
        method: method as TestRequest['method'] & string,
        ...(method !== 'GET' && { body: {} }),
        credentials: { user: server.projectId, password: `token-for-${scope}` },
      },
    )
    if (status !== 401 && status !== 403) return 'in'
    const code = json.errors?.[0].code ?? json.code
    expect(code).toBe(status === 401 ? 'token_invalid' : 'invalid_auth_token_permissions')
    return 'out'
  }
  const parameter = (name: string) =>
    name === 'project_id' ? server.projectId : '11111111-2222-4333-8444-000000000000'

  it('lets in a token with the scope of its family, and none of the nine others', async () => {
    expect(security.size).toBeGreaterThan(30)
    const table = [...security.keys()].flatMap((operation) =>
      ALL_SCOPES.map((scope) => [operation, scope] as const),
    )
    const found = await Promise.all(
      table.map(async ([operation, scope]) => `${operation} ${scope}: ${await admission(operation, scope)}`),
    )
    const wanted = table.map(
      ([operation, scope]) => `${operation} ${scope}: ${scopeOf(operation) === scope ? 'in' : 'out'}`,
    )
    expect(found).toEqual(wanted)
  }, 60_000)

  it('tells its scope in the document', () => {
    for (const [operation, ways] of security) {
      const scope = scopeOf(operation)
      expect(scope, `${operation} belongs to no family`).not.toBeUndefined()
      const basic = ways.find((way) => BASIC in way)
      expect(basic?.[BASIC], operation).toEqual(scope === null ? undefined : [scope])
    }
  })
})

describe('the server does not start', () => {
  async function startWith(sign: (app: ReturnType<typeof fastify>) => void): Promise<unknown> {
    const app = fastify()
    useRequiredScopes(app)
    app.register(async (scope) => {
      sign(scope as ReturnType<typeof fastify>)
      scope.get('/api/new', async () => ({}))
    })
    app.get('/page', async () => ({}))
    return app.ready().then(
      () => 'ready',
      (error: Error) => error.message,
    )
  }

  it('with a route of the API that wants neither a scope nor the token of an end user', async () => {
    const refusal = 'these routes want neither a scope nor the token of an end user: '
    expect(await startWith(() => {})).toContain(`${refusal}GET /api/new`)
    expect(await startWith((app) => documentSecurity(app, [BEARER, BASIC], null))).toContain(refusal)
    expect(await startWith((app) => documentSecurity(app, [BASIC], 'fax'))).toBe('ready')
    expect(await startWith((app) => documentSecurity(app, [BEARER], null))).toBe('ready')
  })
})
