import { type Operation, operations } from './api-document.ts'

/** Records which operation answered with which status. */
export class Coverage {
  readonly #seen = new Set<string>()
  readonly #withFaults: boolean

  /** @param withFaults whether a test takes the database away, which is what statuses from 500 on need */
  constructor(withFaults: boolean) {
    this.#withFaults = withFaults
  }

  note({ id }: Operation, status: number): void {
    this.#seen.add(`${id} ${status}`)
  }

  has({ id }: Operation, status: number): boolean {
    return this.#seen.has(`${id} ${status}`)
  }

  /** The statuses in the document that no test has seen. */
  holes(): string[] {
    return operations.flatMap((operation) =>
      operation.statuses
        .filter((status) => this.#isReachable(status) && !this.has(operation, status))
        .map((status) => `${operation.id} ${status}`),
    )
  }

  /**
   * A table of operations by status: `x` seen, `.` a fault that no test of this suite causes, `HOLE`, empty if not
   * listed.
   */
  table(): string {
    const columns = [...new Set(operations.flatMap(({ statuses }) => statuses))].sort((a, b) => a - b)
    const cell = (operation: Operation, status: number) => {
      if (!operation.statuses.includes(status)) return ''
      if (this.has(operation, status)) return 'x'
      return this.#isReachable(status) ? 'HOLE' : '.'
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

  #isReachable(status: number): boolean {
    return status < 500 || this.#withFaults
  }
}
