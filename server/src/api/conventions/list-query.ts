import type { FastifyRequest } from 'fastify'
import { callerOf } from './authentication.ts'
import type { PageToken } from './page-token.ts'

/** A family's names of the paging parameters. */
export interface PagingNames {
  number: string
  size: string
  token: string
}

/** A query before its validation. */
export type RawQuery = Record<string, unknown>

/** The part of a query's schema that paging uses. */
export interface QuerySchema {
  properties?: Record<string, unknown>
}

/** Parameters that determine how rows are shown, not which rows the list has. */
const VIEW_PARAMETERS: ReadonlySet<string> = new Set(['media_ttl', 'include_active_session'])

/** Name of the list that a request reads: its project and its path. */
export function listName(request: FastifyRequest): string {
  return `${callerOf(request).projectId} ${pathOf(request)}`
}

/** Path of a request, without its query. */
export const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? url

/** Maximum number of rows of a page. The request has been validated. */
export const sizeOf = (request: FastifyRequest, { size }: PagingNames): number =>
  (request.query as Record<string, number>)[size] ?? 0

/** Names of the list's own parameters. Other parameters are ignored, as in all operations. */
function parameterNames(request: FastifyRequest, { number, size, token }: PagingNames): string[] {
  const querystring = request.routeOptions.schema?.querystring as QuerySchema | undefined
  const ofPaging = [number, size, token]
  return Object.keys(querystring?.properties ?? {}).filter((name) => !ofPaging.includes(name))
}

/** Whether a page token fits the filters of a request. A different filter would be another list. */
export function filtersAgree(token: PageToken, request: FastifyRequest, names: PagingNames): boolean {
  const query = request.query as RawQuery
  const filters = parameterNames(request, names).filter((name) => !VIEW_PARAMETERS.has(name))
  return filters.every((name) => query[name] === undefined || query[name] === token.parameters[name])
}

/** The list's own parameters as the caller wrote them. */
export function listParameters(request: FastifyRequest, names: PagingNames): Record<string, string> {
  const given = new URLSearchParams(request.url.split('?').slice(1).join('?'))
  const parameters: Record<string, string> = {}
  for (const name of parameterNames(request, names)) {
    const value = given.get(name) ?? request.pageToken?.parameters[name]
    if (value !== undefined) parameters[name] = value
  }
  return parameters
}
