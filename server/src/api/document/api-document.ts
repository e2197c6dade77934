import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import packageJson from '../../../package.json' with { type: 'json' }
import { errorSchemaFor } from '../conventions/error-bodies.ts'
import { BASIC, BEARER, INVITATION, SESSION, SIGN_IN_LINK } from '../conventions/security-schemes.ts'
import { errorAnswer } from './error-answers.ts'
import { codesByStatus } from './error-codes.ts'
import { errorStatuses } from './error-statuses.ts'
import { exemplify, exemplifyBodies } from './examples.ts'
import { introduction, tags } from './introduction.ts'
import { shareErrorAnswers, shareTitledSchemas } from './shared-parts.ts'

const idempotencyKey = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x7e]*$',
  examples: ['3f0c9a7e-create-standup'],
  description: 'Makes it safe to send the request again: see Trying again.',
}

/**
 * Describes the API in OpenAPI 3.1, from the schemas of the routes under `/api`. Call it before they are registered.
 * `app.swagger()` returns the document once the application is ready.
 */
export async function useApiDocument(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Parley REST API',
        version: packageJson.version,
        description: introduction,
        license: { name: packageJson.license, identifier: packageJson.license },
      },
      servers: [{ url: '/', description: 'This server.' }],
      tags,
      components: {
        securitySchemes: {
          [BASIC]: {
            type: 'http',
            scheme: 'basic',
            description: 'Id of the project as user name, API token as password.',
          },
          [BEARER]: {
            type: 'http',
            scheme: 'bearer',
            description: 'Token of a subscriber or guest.',
          },
          [INVITATION]: {
            type: 'http',
            scheme: 'bearer',
            description: 'Token of a conference.',
          },
          [SESSION]: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-parley',
            description:
              'Session of a user, as signing in sets it. It also admits to everything that takes an API token, as far as the role of the user allows. Changes need the header `X-CSRF-Token` and come from a page of this server.',
          },
          [SIGN_IN_LINK]: {
            type: 'http',
            scheme: 'bearer',
            description: 'Secret of a one-time link, by which a user chooses a password.',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({ url, schema: describeRoute(schema, url, route) }),
    transformObject: (made) => {
      // The document is plain JSON from here on.
      const document = JSON.parse(JSON.stringify('openapiObject' in made ? made.openapiObject : made))
      exemplify(document.paths)
      exemplifyBodies(document.paths)
      shareTitledSchemas(document)
      shareErrorAnswers(document)
      return document
    },
  })
}

interface QuerySchema {
  properties: Record<string, { default?: unknown }>
  required?: string[]
}

/**
 * Marks parameters with a default as optional. After validation they always exist, but the sender may leave them out.
 */
const withoutDefaultsRequired = (query: QuerySchema): QuerySchema => ({
  ...query,
  required: (query.required ?? []).filter((name) => query.properties[name]?.default === undefined),
})

/** Adds the parts that the schema of a route does not have: errors with their codes, and headers. */
function describeRoute(schema: FastifySchema | undefined, url: string, route: RouteOptions): FastifySchema {
  const method = String(route.method)
  if (!schema || !url.startsWith('/api/') || method === 'OPTIONS' || method === 'HEAD') {
    return { hide: true }
  }
  const { errorCodes, response, ...rest } = schema
  const { params, querystring, body } = schema as Record<string, TSchema | undefined>
  const codes = codesByStatus({
    method,
    params,
    querystring,
    body,
    incompleteStatus: route.config?.incompleteStatus ?? 400,
    takesBearer: schema.security?.some((way) => BEARER in way) ?? false,
    errorCodes,
  })
  const errorBody = errorSchemaFor(url)
  const errors = errorStatuses(method, schema).map((status) => [
    status,
    errorAnswer(status, codes.get(status) ?? [], errorBody),
  ])
  return {
    ...rest,
    ...(querystring && { querystring: withoutDefaultsRequired(querystring as unknown as QuerySchema) }),
    ...(method === 'POST' && {
      headers: { type: 'object', properties: { 'Idempotency-Key': idempotencyKey } },
    }),
    response: { ...(response as object), ...Object.fromEntries(errors) },
  }
}
