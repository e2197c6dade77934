import type { FastifyInstance, FastifyRequest, FastifySchema, RouteOptions } from 'fastify'
import type { Static, TSchema, TVoid } from 'typebox'
import type { PublicErrorCode } from '../../errors/catalogue.ts'
import { NoContent } from '../../resources/building-blocks.ts'
import type { Right } from '../../resources/roles.ts'
import type { Services } from '../../services.ts'
import { ApiRequest } from './api-request.ts'
import { compressionOf } from './compression.ts'
import type { FamilyOptions } from './family.ts'
import type { PagingNames } from './list-query.ts'
import { withLowerCaseIds } from './lower-case-ids.ts'
import { type Paging, usePaging } from './paging.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Declaration of an operation, for the router, the validation and the API document. */
interface Declaration<Params, Query, Body, Answer> {
  /** Method, and path below the path of the family. */
  route: `${Method} /${string}`
  operationId: string
  summary: string
  /** In Markdown. */
  description: string
  /** Group in the API document. */
  tag: string
  params?: Params
  query?: Query
  body?: Body
  /** Schema of the answer. Without it the answer is 204 and has no body. */
  answer?: Answer
  /** Status of the answer if it is not 200. */
  status?: 201
  /** Codes of error answers, by status. Only codes that do not follow from the schemas of the request. */
  errorCodes?: Readonly<Partial<Record<number, readonly PublicErrorCode[]>>>
  /** Status for a missing required field, if the operation does not list 400. */
  incompleteStatus?: 422
  /** Maximum size of the body in bytes, if it is more than usual. */
  bodyMaxBytes?: number
  /** The answer has secrets: tokens, keys of streams, links to recordings. It is never compressed. */
  hasSecrets?: boolean
  /** What users with a session need to be allowed, if it does not follow from the method and the scope. */
  right?: Right
  /** The API document leaves the operation out, because it lists it under another path. */
  isHidden?: boolean
}

type Handler<Params, Query, Body, Answer> = (
  request: ApiRequest<Params, Query, Body>,
  services: Services,
) => Promise<Answer>

/** One operation of the interface as a value. {@link useOperations} serves it. */
export interface Operation {
  declaration: Declaration<TSchema, TSchema, TSchema, TSchema>
  handle: Handler<unknown, unknown, unknown, unknown>
}

/**
 * Declares an operation. The schemas give the types of the handler's input and answer. Error answers are not declared:
 * they follow from method, schemas and family (see `document/error-statuses.ts`).
 */
export function operation<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TVoid,
>(
  declaration: Declaration<Params, Query, Body, Answer>,
  handle: Handler<Static<Params>, Static<Query>, Static<Body>, Static<Answer>>,
): Operation {
  // The cast is safe: the validation has checked the types.
  return { declaration, handle: handle as Operation['handle'] }
}

/** Serves operations on a scope of the application. The hooks of the scope decide who may call them. */
export function useOperations(
  app: FastifyInstance,
  { services, limits, pagingKey, publicUrl }: FamilyOptions,
  operations: readonly Operation[],
  pagingNames?: PagingNames,
): void {
  const paging = usePaging(app, pagingKey, pagingNames)
  for (const { declaration, handle } of operations) {
    const read = requestReader(declaration)
    const status = declaration.answer ? (declaration.status ?? 200) : 204
    app.route({
      ...routeOf(declaration, status, paging),
      handler: async (request, reply) => {
        const answer = await handle(
          new ApiRequest(request, read(request), { reply, limits, paging, publicUrl }),
          services,
        )
        reply.code(status)
        return status === 204 ? reply.send() : answer
      },
    })
  }
}

function routeOf(
  {
    route,
    query,
    incompleteStatus,
    bodyMaxBytes,
    hasSecrets = false,
    right,
    ...declaration
  }: Operation['declaration'],
  status: number,
  paging: Paging,
): Omit<RouteOptions, 'handler'> {
  const [method, url] = route.split(' ') as [Method, string]
  const { operationId, summary, description, tag, params, body, answer, errorCodes, isHidden } = declaration
  const schema: FastifySchema = {
    operationId,
    summary,
    description,
    tags: [tag],
    ...(isHidden && { hide: true }),
    ...(errorCodes && { errorCodes }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: { [status]: answer ?? NoContent },
  }
  return {
    method,
    url,
    schema,
    compress: compressionOf(method, hasSecrets),
    config: { ...(incompleteStatus && { incompleteStatus }), ...(right && { right }) },
    ...(bodyMaxBytes !== undefined && { bodyLimit: bodyMaxBytes }),
    ...(paging.isList(query) && { preValidation: paging.restoreParameters }),
  }
}

function requestReader({ params, query, body }: Operation['declaration']) {
  const readParams = withLowerCaseIds(params)
  const readQuery = withLowerCaseIds(query)
  const readBody = withLowerCaseIds(body)
  return (request: FastifyRequest) => ({
    params: readParams(request.params),
    query: readQuery(request.query),
    body: readBody(request.body),
  })
}
