import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'

/** A parameter in the path or the query of an operation. */
export interface Parameter {
  name: string
  isRequired: boolean
  description: string
  /** A value that is accepted; empty if the document has none. */
  example: string
}

/** One operation of the API document, as the console needs it. */
export interface ApiOperation {
  id: string
  method: string
  /** With the names of parameters in braces. */
  path: string
  summary: string
  description: string
  group: string
  pathParameters: Parameter[]
  queryParameters: Parameter[]
  /** An example in JSON; null if it takes no body. */
  body: string | null
}

/** The operations of the API document, which this server publishes, as far as an API token or a session admits to them. */
export const apiOperations = queryOptions({
  queryKey: ['api-document'],
  queryFn: async ({ signal }) => {
    const answer = await fetch('/docs/openapi.json', { signal })
    if (!answer.ok) throw new ApiError(answer.status, [])
    return operationsOf((await answer.json()) as Document)
  },
  staleTime: Number.POSITIVE_INFINITY,
})

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
}

interface DocumentedOperation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: Record<string, unknown>[]
  parameters?: DocumentedParameter[]
  requestBody?: { content?: Record<string, { example?: unknown }> }
}

interface DocumentedParameter {
  name: string
  in: string
  required?: boolean
  description?: string
  example?: unknown
  examples?: Record<string, { value?: unknown }>
  schema?: { examples?: unknown[]; default?: unknown }
}

/** Reads the document. */
export function operationsOf({ paths }: Document): ApiOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security = [] }]) => security.some((way) => 'apiToken' in way || 'session' in way))
      .map(([method, operation]) => read(path, method.toUpperCase(), operation)),
  )
}

function read(path: string, method: string, operation: DocumentedOperation): ApiOperation {
  const { operationId = `${method} ${path}`, summary = '', description = '', tags = [] } = operation
  const { parameters = [], requestBody } = operation
  const placed = (place: string) => parameters.filter((one) => one.in === place).map(readParameter)
  const content = requestBody?.content?.['application/json']
  return {
    id: operationId,
    method,
    path,
    summary,
    description,
    group: tags[0] ?? '',
    pathParameters: placed('path'),
    queryParameters: placed('query'),
    body: requestBody ? JSON.stringify(content?.example ?? {}, null, 2) : null,
  }
}

function readParameter(parameter: DocumentedParameter): Parameter {
  const { name, required = false, description = '', example, examples = {}, schema = {} } = parameter
  const [first] = Object.values(examples)
  const value = example ?? first?.value ?? schema.examples?.[0] ?? schema.default
  return { name, isRequired: required, description, example: value === undefined ? '' : String(value) }
}

/**
 * The path of a request.
 * @param values of the parameters, by their names; those of the query that are empty are left out
 */
export function pathOf(
  { path, pathParameters, queryParameters }: ApiOperation,
  values: Readonly<Record<string, string>>,
): string {
  const filled = pathParameters.reduce(
    (text, { name }) => text.replace(`{${name}}`, encodeURIComponent(values[name] ?? '')),
    path,
  )
  const query = new URLSearchParams(
    queryParameters.flatMap(({ name }) => (values[name] ? [[name, values[name]]] : [])),
  )
  return query.size === 0 ? filled : `${filled}?${query}`
}
