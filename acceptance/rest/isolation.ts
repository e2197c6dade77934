import { describe, expect, test } from 'vitest'
import { operations } from './api-document.ts'
import type { Suite } from './suite.ts'

/** What belongs to one project is not there for another. */
export function isolation(suite: Suite): void {
  describe('the ids of another project', () => {
    for (const operation of operations.filter(({ pathParameters }) => pathParameters.length > 0)) {
      test(`are not there for ${operation.id}`, async () => {
        const { caller, project, other } = suite
        const call = await project.goodCall(operation)
        const answer = await caller.call(operation, {
          ...call,
          authorization: other.authorizationFor(operation),
        })
        expect(answer.status, answer.text).toBe(404)
        for (const id of Object.values(call.path ?? {})) expect(answer.text).not.toContain(id)
      })
    }
  })

  describe('the lists of another project', () => {
    const lists = operations.filter(
      ({ method, pathParameters }) => method === 'GET' && pathParameters.length === 0,
    )
    for (const operation of lists) {
      test(`share nothing: ${operation.id}`, async () => {
        const { project, other } = suite
        const ids = async (of: typeof project): Promise<string[]> =>
          (await of.call(operation)).data.map(({ id }: { id: string }) => id)
        const theirs = await ids(other)
        expect((await ids(project)).filter((id) => theirs.includes(id))).toEqual([])
      })
    }
  })
}
