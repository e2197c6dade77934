import { describe, expect, test } from 'vitest'
import { type Operation, operation, operations } from './api-document.ts'
import { freshName, isProject, type Project } from './project.ts'
import type { Suite } from './suite.ts'

/** The resources of one project do not exist for another project. */
export function isolation(suite: Suite): void {
  describe('the ids of another project', () => {
    for (const operation of operations.filter(({ pathParameters }) => pathParameters.length > 0)) {
      test(`are not there for ${operation.id}`, () => notThere(suite, operation))
    }

    test('are nothing that a room session, a token of a guest or a refresh could be of', async () => {
      const { caller, project, other } = suite
      const call = (id: string, options: object) => {
        const target = operation(id)
        return caller.call(target, { authorization: other.authorizationFor(target), ...options })
      }
      const { data } = await project.call(operation('listRoomSessions'))
      expect(data.length).toBeGreaterThan(0)
      const [{ room_id, name }] = data
      for (const query of [{ room_id }, { room_name: name }, { room_name_matches: name }]) {
        expect((await call('listRoomSessions', { query })).json.data).toEqual([])
      }
      const guest = await call('createGuestToken', { body: { allowed_addresses: [room_id] } })
      expect([guest.status, guest.json.errors[0].code]).toEqual([422, 'unrecognized_fabric_addresses'])
      const body = { refresh_token: await project.freshRefreshToken() }
      const refreshed = await call('refreshSubscriberToken', { body })
      expect([refreshed.status, refreshed.json.errors[0].code]).toEqual([422, 'not_a_refresh_token'])
    })

    test('are not there by name either', async () => {
      const { caller, project, other } = suite
      const target = operation('getRoom')
      const { id, name } = await project.call(operation('createRoom'), { body: { name: freshName() } })
      const byName = (authorization: string) => caller.call(target, { path: { id: name }, authorization })
      expect((await byName(project.authorization)).json.id).toBe(id)
      const answer = await byName(other.authorization)
      expect([answer.status, answer.json.errors[0].code]).toEqual([404, 'does_not_exist'])
    })
  })

  describe('the lists of another project', () => {
    // Lists below a resource of a project do not exist for others, so only lists directly below the project are tested.
    // What the dashboard shows is made of figures, which have no ids; its own tests look at those of another project.
    const lists = operations.filter(
      ({ id, method, path, pathParameters, takesInvitation }) =>
        method === 'GET' &&
        // A number has no ids either.
        id !== 'getRecordingRetention' &&
        id !== 'getRecordingQuota' &&
        !takesInvitation &&
        !path.startsWith('/api/dashboard/') &&
        pathParameters.every(({ name }) => isProject(name)),
    )
    for (const operation of lists) {
      test(`share nothing: ${operation.id}`, async () => {
        const { project, other } = suite
        const [own, theirs] = [await idsIn(project, operation), await idsIn(other, operation)]
        expect(own.length).toBeGreaterThan(0)
        expect(own.filter((id) => theirs.includes(id))).toEqual([])
      })
    }
  })
}

/** The ids in a list of a project. */
async function idsIn(project: Project, list: Operation): Promise<string[]> {
  const answer = await project.call(list, { path: (await project.goodCall(list)).path })
  const rows = Object.values(answer).find(Array.isArray) ?? []
  return rows.map(({ id, sid }) => id ?? sid)
}

/**
 * Requests resources of another project, with each of its ids alone and with all of them. Every request must fail and
 * change nothing.
 */
async function notThere({ caller, project, other }: Suite, operation: Operation): Promise<void> {
  const theirs = await project.goodCall(operation)
  const own = await other.goodCall(operation)
  const before = await shown(project, operation, theirs.path)
  const oneEach = Object.entries(theirs.path).map(([name, id]) => ({ ...own.path, [name]: id }))
  for (const path of [theirs.path, ...oneEach]) {
    const authorization = other.authorizationFor(operation)
    const answer = await caller.call(operation, { ...theirs, path, authorization })
    expect(answer.status, answer.text).toBe(404)
    for (const id of Object.values(theirs.path)) expect(answer.text).not.toContain(id)
  }
  expect(await shown(project, operation, theirs.path)).toEqual(before)
}

const CHANGE_WITH_TIME = /^(uri|duration|duration_ms|cost_in_dollars|charge|charge_details)$/

/**
 * The state that an operation would change, as its owner sees it. Links to recordings, and the length and cost of what goes
 * on, change with time and are left out.
 */
async function shown(project: Project, { path }: Operation, ids: Record<string, string>): Promise<string> {
  const places = [path, path.replace(/\/\w+$/, '')]
  const list = path.replace(/\/[^/]+$/, '')
  const reads = operations.filter(({ method }) => method === 'GET')
  const get = reads.find((one) => places.includes(one.path)) ?? reads.find((one) => one.path === list)
  if (!get) throw new Error(`nothing shows what is at ${path}`)
  const answer = await project.call(get, { path: ids })
  return JSON.stringify(answer, (name, value) => (CHANGE_WITH_TIME.test(name) ? undefined : value))
}
