import { type Operation, operations } from './api-document.ts'

/** Which operation was seen to answer with which status. */
export class Coverage {
  readonly #seen = new Set<string>()

  note({ id }: Operation, status: number): void {
    this.#seen.add(`${id} ${status}`)
  }

  has({ id }: Operation, status: number): boolean {
    return this.#seen.has(`${id} ${status}`)
  }

  /** What the document lists, can be brought about from outside, and was not seen. */
  holes(): string[] {
    return operations.flatMap((operation) =>
      operation.statuses
        .filter((status) => isReachable(operation, status) && !this.has(operation, status))
        .map((status) => `${operation.id} ${status}`),
    )
  }

  /** Operations by status: `x` seen, `.` not to be brought about from outside, `HOLE`, empty where not listed. */
  table(): string {
    const columns = [...new Set(operations.flatMap(({ statuses }) => statuses))].sort((a, b) => a - b)
    const cell = (operation: Operation, status: number) => {
      if (!operation.statuses.includes(status)) return ''
      if (this.has(operation, status)) return 'x'
      return isReachable(operation, status) ? 'HOLE' : '.'
    }
    const rows = operations.map((operation) => [
      operation.id,
      ...columns.map((status) => cell(operation, status)),
    ])
    const width = Math.max(...operations.map(({ id }) => id.length))
    return [['', ...columns.map(String)], ...rows]
      .map(([id = '', ...cells]) =>
        `${id.padEnd(width)}  ${cells.map((text) => text.padEnd(5)).join('')}`.trimEnd(),
      )
      .join('\n')
  }
}

/** Of messages, which come from the clients of chats alone. */
const WRITTEN_IN_CHATS: ReadonlySet<string> = new Set(['getMessage'])

/**
 * A 500 is a fault of the server, and no request brings one about; a 422 says that a value is wrong, which takes a
 * request with values.
 */
export function isReachable(operation: Operation, status: number): boolean {
  if (status === 500) return false
  if (status === operation.success && WRITTEN_IN_CHATS.has(operation.id)) return false
  const takesValues = operation.body !== undefined || operation.queryParameters.length > 0
  return status !== 422 || takesValues || operation.method === 'POST'
}
