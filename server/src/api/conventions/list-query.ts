import type { FastifyRequest } from 'fastify'
import { callerOf } from './authentication.ts'
import type { PageToken } from './page-token.ts'

/** How a family of the interface calls the parameters of paging. */
export interface PagingNames {
  number: string
  size: string
  token: string
}

/** A query before its validation. */
export type RawQuery = Record<string, unknown>

/** The schema of a query, as far as paging asks. */
export interface QuerySchema {
  properties?: Record<string, unknown>
}

/** Parameters that say how the rows of a page are shown, not which rows the list has. */
const VIEW_PARAMETERS: ReadonlySet<string> = new Set(['media_ttl', 'include_active_session'])

/** The list that a request walks: whose, and which. */
export function listName(request: FastifyRequest): string {
  return `${callerOf(request).projectId} ${pathOf(request)}`
}

/** Path of a request, without its query. */
export const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? url

/** How many rows a page may have. The request has been validated. */
export const sizeOf = (request: FastifyRequest, { size }: PagingNames): number =>
  (request.query as Record<string, number>)[size] ?? 0

/** Names of the parameters that the list itself has. Others mean nothing, here as elsewhere. */
function parameterNames(request: FastifyRequest, { number, size, token }: PagingNames): string[] {
  const querystring = request.routeOptions.schema?.querystring as QuerySchema | undefined
  const ofPaging = [number, size, token]
  return Object.keys(querystring?.properties ?? {}).filter((name) => !ofPaging.includes(name))
}

/** Whether a page token is good for the filters of a request. A filter that differs would make another list. */
export function filtersAgree(token: PageToken, request: FastifyRequest, names: PagingNames): boolean {
  const query = request.query as RawQuery
  const filters = parameterNames(request, names).filter((name) => !VIEW_PARAMETERS.has(name))
  return filters.every((name) => query[name] === undefined || query[name] === token.parameters[name])
}

/** The parameters of the list as the caller wrote them, and no others. */
export function listParameters(request: FastifyRequest, names: PagingNames): Record<string, string> {
  const given = new URLSearchParams(request.url.split('?').slice(1).join('?'))
  const parameters: Record<string, string> = {}
  for (const name of parameterNames(request, names)) {
    const value = given.get(name) ?? request.pageToken?.parameters[name]
    if (value !== undefined) parameters[name] = value
  }
  return parameters
}
