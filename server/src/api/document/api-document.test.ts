import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicErrors } from '../../errors/catalogue.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

interface Operation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: object[]
  parameters?: { name: string; description?: string; example?: unknown; examples?: object; schema: object }[]
  requestBody?: object
  responses: Record<string, object>
}

let server: TestServer
let document: {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; responses: Record<string, object> }
  tags: { name: string }[]
}

beforeAll(async () => {
  server = await startTestServer()
  document = (await server.call('/docs/openapi.json', { credentials: null })).json
})
afterAll(() => server.stop())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      method,
      ...operation,
    })),
  )

test('the committed document is the one that the routes make', () => {
  const committed = JSON.parse(readFileSync(`${import.meta.dirname}/../../../../docs/openapi.json`, 'utf8'))
  expect(document, 'run "npm run docs" and commit what changed').toEqual(committed)
})

test('the document is valid OpenAPI 3.1, its examples included', async () => {
  expect(document.openapi).toBe('3.1.0')
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      'no-invalid-schema-examples': 'error',
      // An error is described in two parts, and neither allows the fields of the other.
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
      'operation-4xx-response': 'error',
    },
  })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
  ).toEqual([])
})

test('every operation says what it is, how to sign in, and what it answers', () => {
  expect(operations().length).toBeGreaterThan(35)
  const tags = document.tags.map(({ name }) => name)
  for (const {
    title,
    operationId,
    summary,
    description,
    tags: own = [],
    security,
    responses,
  } of operations()) {
    expect(
      [operationId, summary, description].every(Boolean),
      `${title} needs id, summary, description`,
    ).toBe(true)
    expect(
      own.filter((tag) => tags.includes(tag)),
      `the tag of ${title}`,
    ).toHaveLength(1)
    // Who signs in has no credentials yet, and a conference may show itself to everybody.
    const isOpen = ['signIn', 'getConferenceLook'].includes(operationId ?? '')
    expect(security?.length, `security of ${title}`).toBeGreaterThan(isOpen ? -1 : 0)
    expect(
      Object.keys(responses).filter((status) => Number(status) < 300),
      title,
    ).toHaveLength(1)
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '429', '500']))
  }
})

test('every field and parameter is described and has an example', () => {
  const bare: string[] = []
  const look = (schema: unknown, place: string) => {
    if (typeof schema !== 'object' || schema === null) return
    const { description, examples, properties, items, $ref, anyOf } = schema as Record<string, unknown>
    if ($ref || anyOf) return
    if (!description) bare.push(`${place}: no description`)
    const isNested = properties !== undefined || items !== undefined
    if (!isNested && !(Array.isArray(examples) && examples.length > 0)) bare.push(`${place}: no example`)
    for (const [name, field] of Object.entries(properties ?? {})) look(field, `${place}.${name}`)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name)
  for (const { title, parameters = [] } of operations()) {
    for (const { name, description, schema, ...parameter } of parameters) {
      const { examples } = schema as { examples?: unknown[] }
      if (!description) bare.push(`${title} ${name}: no description`)
      if (parameter.example === undefined && !parameter.examples && !examples)
        bare.push(`${title} ${name}: no example`)
    }
  }
  expect(bare).toEqual([])
})

test('every request and every successful answer has an example', () => {
  const bare: string[] = []
  for (const { title, requestBody, responses } of operations()) {
    const answers = Object.entries(responses).filter(([status]) => Number(status) < 300 && status !== '204')
    for (const [what, body] of [...answers, ...(requestBody ? [['body', requestBody] as const] : [])]) {
      const { content } = body as { content: { 'application/json': { example?: unknown } } }
      if (content['application/json'].example === undefined) bare.push(`${title} ${what}`)
    }
  }
  expect(bare).toEqual([])
})

test('patterns are understood by every generator: no \\p{…} and no \\u', () => {
  const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\\\]|\\\\.)*")/g)]
  const texts = new Set(patterns.map(([, text = '""']) => JSON.parse(text) as string))
  expect(texts.size).toBeGreaterThan(3)
  for (const text of texts) expect(text).not.toMatch(/\\[pPu]/)
})

test('every error answer names its codes, all of the catalogue, each with an example', () => {
  for (const { title, responses } of operations()) {
    for (const [status, answer] of Object.entries(responses)) {
      if (Number(status) < 400) continue
      const { $ref } = answer as { $ref?: string }
      const { description, content } = (
        $ref ? document.components.responses[$ref.split('/').at(-1) ?? ''] : answer
      ) as {
        description: string
        content: { 'application/json': { examples: Record<string, object> } }
      }
      const { examples } = content['application/json']
      expect(Object.keys(examples).length, `${title} ${status}`).toBeGreaterThan(0)
      for (const code of Object.keys(examples)) {
        expect(Object.keys(publicErrors)).toContain(code)
        expect(description).toContain(`\`${code}\``)
      }
    }
  }
})

test('the console is served without credentials and asks for nothing from elsewhere', async () => {
  const page = await server.call('/docs', { credentials: null })
  expect(page.status).toBe(200)
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toMatch(/default-src 'none'.*script-src 'self';.*connect-src 'self'/)
  const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)
  expect(assets.length).toBeGreaterThan(3)
  for (const address of assets) {
    expect(address).toMatch(/^\/docs\/static\//)
    expect((await server.call(address, { credentials: null })).status, address).toBe(200)
  }
  expect((await server.call('/docs/', { credentials: null })).status).toBe(200)
})
