import { errors } from 'undici'
import { describe, expect, test } from 'vitest'
import { type Operation, operations, resolve } from './api-document.ts'
import type { Call } from './caller.ts'
import { NOBODY } from './project.ts'
import type { Suite } from './suite.ts'

/** Body sizes in bytes: the first is above the limit of most operations, the second above every limit. */
const TOO_LONG = [140_000, 1_100_000]

/** Headers that are above the limit of any server. */
const ENDLESS = { 'x-long': 'x'.repeat(40_000) }

/** A percent sign without valid hexadecimal digits after it, for every parameter in a path. */
const BROKEN = '%zz'

/** Tests each operation with each status that the document lists for it and that a request can cause. */
export function statuses(suite: Suite): void {
  // Operations that delete what only a client can create run last.
  const inOrder = [...operations].sort((a, b) => Number(isFinal(a)) - Number(isFinal(b)))
  for (const operation of inOrder) {
    const can = (status: number) => operation.statuses.includes(status)
    describe(operation.id, () => {
      if (can(400)) test('400: what cannot be read', () => unreadable(suite, operation))
      test('401: credentials that are missing or wrong', () => unauthenticated(suite, operation))
      if (can(403)) test('403: a token without the scope', () => forbidden(suite, operation))
      if (can(404)) test('404: what is not there', () => missing(suite, operation))
      if (can(422) && takesValues(operation))
        test('422: values that are wrong', () => unacceptable(suite, operation))
      if (can(operation.success)) test(`${operation.success}: a good request`, () => good(suite, operation))
    })
  }
}

/** If an operation takes no values, its 422 is about the state of the resource; see `haveSession`. */
function takesValues({ body, queryParameters, method }: Operation): boolean {
  return body !== undefined || queryParameters.length > 0 || method === 'POST'
}

const isFinal = ({ id }: Operation) => ['deleteRoomRecording', 'endLiveRoom'].includes(id)

async function good({ caller, project }: Suite, operation: Operation): Promise<void> {
  const answer = await caller.call(operation, await project.goodCall(operation))
  expect(answer.status, answer.text).toBe(operation.success)
  expect(answer.headers['x-request-id']).toBeTruthy()
  expect(answer.headers['cache-control']).toBe('no-store')
}

/** Sends broken, foreign and incomplete bodies, malformed ids, and oversized headers. */
async function unreadable({ caller, project }: Suite, operation: Operation): Promise<void> {
  const { body, ...bare } = await project.goodCall(operation)
  const refused = async (call: Partial<Call>) => {
    const answer = await unlessLost(() => caller.call(operation, { ...bare, ...call }))
    expect(answer.status, `${JSON.stringify(call).slice(0, 200)}: ${answer.text}`).toBe(400)
  }
  // If the headers cannot be read, the server does not know the path. If the path cannot be read, it does not need the
  // headers. So each operation gets only one of the two.
  if (operation.pathParameters.length === 0) await refused({ body, headers: ENDLESS })
  else await refused({ body, path: BROKEN })
  if (operation.body) {
    const tooDeep = `${'['.repeat(200)}${']'.repeat(200)}`
    for (const rawBody of ['{', '', 'null', '[]', '"text"', '7', '{"a":1}x', "{'a':1}", tooDeep]) {
      await refused({ rawBody })
    }
    await refused({ rawBody: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) })
    const padded = (bytes: number) => JSON.stringify({ ...(body as object), filler: 'x'.repeat(bytes) })
    // One size at a time: data that is still being sent after a refusal can make the answer get lost.
    let status = 0
    for (const bytes of TOO_LONG) {
      const call = { ...bare, rawBody: padded(bytes) }
      if (status !== 400) status = (await unlessLost(() => caller.call(operation, call))).status
    }
    expect(status).toBe(400)
    await refused({ body, headers: { 'content-type': 'text/plain' } })
    await refused({ body, headers: { 'content-type': 'application/json; charset=utf-16' } })
  }
  for (const { name, schema } of operation.pathParameters) {
    if (schema.format === 'uuid') await refused({ body, path: { ...bare.path, [name]: 'no-uuid' } })
  }
}

/** Attempts at a request whose answer gets lost. */
const ATTEMPTS = 10

/**
 * A balancer before a deployment elsewhere may pass on the reset that follows an early refusal before the answer itself. A client
 * that got no answer asks again.
 */
async function unlessLost<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      const isLost = error instanceof errors.SocketError && process.env.PARLEY_BASE_URL !== undefined
      if (!isLost || attempt === ATTEMPTS) throw error
    }
  }
}

async function unauthenticated({ caller, project, strangers }: Suite, operation: Operation): Promise<void> {
  const call = await project.goodCall(operation)
  for (const authorization of [
    null,
    strangers.wrongToken,
    'Basic bm9ib2R5',
    'Bearer nonsense',
    'Digest x="y"',
  ]) {
    const answer = await caller.call(operation, { ...call, authorization })
    expect(answer.status, String(authorization)).toBe(401)
    expect(answer.headers['www-authenticate']).toMatch(/^(Basic|Bearer) /)
  }
}

async function forbidden({ caller, project, parties }: Suite, operation: Operation): Promise<void> {
  const call = await project.goodCall(operation)
  const answer = await caller.call(operation, { ...call, authorization: parties.limited })
  expect(answer.status).toBe(403)
}

async function missing({ caller, project }: Suite, operation: Operation): Promise<void> {
  const call = await project.goodCall(operation)
  const path = Object.fromEntries(Object.keys(call.path ?? {}).map((name) => [name, NOBODY]))
  // If the path has no id, the body names it.
  const inBody = operation.pathParameters.length === 0 && {
    body: { [operation.body?.properties?.subscriber_id ? 'subscriber_id' : 'id']: NOBODY },
  }
  const answer = await caller.call(operation, { ...call, path, ...inBody })
  expect(answer.status, answer.text).toBe(404)
}

/** Gives every field and parameter a value of a wrong type. The answer must name all of them at once. */
async function unacceptable({ caller, project }: Suite, operation: Operation): Promise<void> {
  const call = await project.goodCall(operation)
  const refused = async (wrong: Partial<Call>, attributes: string[]) => {
    const answer = await caller.call(operation, { ...call, ...wrong })
    expect(answer.status, answer.text).toBe(422)
    const { errors } = answer.json as { errors?: { attribute: string }[] }
    if (errors) expect(errors.map(({ attribute }) => attribute).sort()).toEqual(attributes.sort())
  }
  const fields = Object.entries(operation.body?.properties ?? {})
  if (fields.length > 0) {
    const wrong = fields.map(([name, field]) => [
      name,
      isObject(resolve(field).type) ? 'text' : { not: 'this' },
    ])
    await refused(
      { body: Object.fromEntries(wrong) },
      fields.map(([name]) => name),
    )
  }
  const choosy = operation.queryParameters.filter(
    ({ schema }) => schema.type !== 'string' || schema.enum || schema.format,
  )
  if (choosy.length > 0) {
    const query = Object.fromEntries(choosy.map(({ name }) => [name, 'no such value']))
    await refused({ query }, Object.keys(query))
  }
  if (operation.method === 'POST') {
    await refused({ headers: { 'idempotency-key': 'x'.repeat(256) } }, ['Idempotency-Key'])
  }
}

const isObject = (type: string | string[] | undefined) => [type].flat().includes('object')

/** If an address has sent wrong credentials too often, every operation answers with the time when to try again. */
export function tooMany(suite: Suite): void {
  test('429: every operation, once the limit is passed', async () => {
    const { caller, strangers } = suite
    let last: Awaited<ReturnType<typeof caller.call>> | undefined
    for (const operation of operations) {
      const path = Object.fromEntries(operation.pathParameters.map(({ name }) => [name, NOBODY]))
      const authorization = wrongFor(operation, strangers.wrongToken)
      const call = { path, authorization, body: undefined, mayBeRefused: true }
      // The window may end during the loop. Then it is filled again.
      for (let attempt = 0; attempt < 5000; attempt++) {
        last = await caller.call(operation, call)
        if (last.status === 429) break
        await Promise.all(Array.from({ length: 50 }, () => caller.call(operation, call)))
      }
      expect(last?.status, operation.id).toBe(429)
      expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0)
      expect(last?.headers['ratelimit-remaining']).toBe('0')
    }
  })
}

/** Credentials of the kind that an operation accepts, but of nobody. */
function wrongFor({ takesBasic, takesInvitation }: Operation, wrongToken: string): string {
  if (takesInvitation) return `Bearer vpt_${'0'.repeat(48)}`
  return takesBasic ? wrongToken : 'Bearer nonsense'
}
