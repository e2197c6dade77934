import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import type { CallRecord } from '../../storage/records.ts'
import { sampleApiToken, sampleCall, sampleSession } from '../../testing/sample-records.ts'
import { startTestServer, type TestRequest, type TestServer } from '../../testing/server-for-tests.ts'

/** Wednesday, 19 September 2018, 20:00:00 UTC. */
const START = Date.UTC(2018, 8, 19, 20)
const HOUR_MS = 3_600_000

const STRANGER = { user: newId(), password: 'token-of-a-stranger' }
const VIDEO_ONLY = 'token-for-video-only'

let server: TestServer
let base: string
let calls: CallRecord[]

beforeAll(async () => {
  server = await startTestServer({ PARLEY_PRICE_MEMBER_MINUTE_1080P: '0.01' })
  const { storage, projectId: project_id } = server
  base = `/api/laml/2010-04-01/Accounts/${project_id}/Calls`
  const session = sampleSession({ project_id, quality: '1080p', status: 'completed' })
  await storage.sessions.insert(session)
  const call = (fields: Partial<CallRecord>) =>
    sampleCall({ project_id, room_session_id: session.id, ...fields })
  const first = call({ created_at: START + 1500, ended_at: START + HOUR_MS + 1500 })
  calls = [
    first,
    call({ created_at: START + 2 * HOUR_MS, parent_id: first.id, ended_at: START + 3 * HOUR_MS }),
    call({ created_at: START + 6 * HOUR_MS, from_name: 'Bob', to_name: 'other' }),
  ]
  for (const one of calls) await storage.calls.insert(one)
  await storage.projects.insert({ id: STRANGER.user, name: 'stranger', created_at: 1 })
  await storage.apiTokens.insert(
    sampleApiToken({
      project_id: STRANGER.user,
      hash: hashApiToken(STRANGER.password),
      scopes: ['calling'],
    }),
  )
  await storage.apiTokens.insert(sampleApiToken({ project_id, hash: hashApiToken(VIDEO_ONLY) }))
})
afterAll(() => server.stop())

const sids = (answer: { json: { calls: { sid: string }[] } }) => answer.json.calls.map(({ sid }) => sid)
const idsOf = (...indexes: number[]) => indexes.map((index) => calls[index]?.id)

describe('below /2010-04-01, where the published client asks', () => {
  it('is the same, pages and errors included', async () => {
    const short = base.replace('/api/laml', '')
    const first = await server.call(`${short}.json?PageSize=2`)
    expect(first.status).toBe(200)
    expect(sids(first)).toEqual(idsOf(2, 1))
    expect(sids(await server.call(first.json.next_page_uri))).toEqual(idsOf(0))
    expect((await server.call(`${short}/${calls[0]?.id}.json`)).json.sid).toBe(calls[0]?.id)
    const refused = await server.call(short, { credentials: null })
    expect(refused.status).toBe(401)
    expect(refused.json).toMatchObject({ code: 'token_invalid', status: 401 })
    const absent = await server.call(short.replace('Calls', 'Faxes'))
    expect(absent.status).toBe(404)
    expect(absent.json).toMatchObject({ status: 404 })
  })
})

describe('GET Accounts/{project_id}/Calls', () => {
  it('lists calls newest first in an envelope of its own', async () => {
    const answer = await server.call(base)
    expect(answer.status).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(sids(answer)).toEqual(idsOf(2, 1, 0))
    expect({ ...answer.json, calls: [] }).toEqual({
      uri: `${base}?Page=0&PageSize=50`,
      first_page_uri: `${base}?Page=0&PageSize=50`,
      next_page_uri: null,
      previous_page_uri: null,
      page: 0,
      page_size: 50,
      calls: [],
    })
  })

  it('shows a call in full', async () => {
    const { json } = await server.call(base)
    const [first] = idsOf(0)
    expect(json.calls[2]).toEqual({
      sid: first,
      account_sid: server.projectId,
      api_version: '2010-04-01',
      date_created: 'Wed, 19 Sep 2018 20:00:01 +0000',
      date_updated: 'Wed, 19 Sep 2018 21:00:01 +0000',
      parent_call_sid: null,
      to: 'standup',
      formatted_to: 'standup',
      to_formatted: 'standup',
      from: 'Ada',
      formatted_from: 'Ada',
      from_formatted: 'Ada',
      phone_number_sid: null,
      status: 'completed',
      start_time: 'Wed, 19 Sep 2018 20:00:01 +0000',
      end_time: 'Wed, 19 Sep 2018 21:00:01 +0000',
      duration: 3600,
      price: 0.6,
      price_unit: 'USD',
      direction: 'inbound',
      answered_by: null,
      forwarded_from: null,
      caller_name: null,
      annotation: null,
      uri: `${base}/${first}.json`,
      subresource_uris: {},
    })
    expect(json.calls[1]).toMatchObject({ parent_call_sid: first, price: 0 })
    expect(json.calls[0]).toMatchObject({ status: 'in-progress', end_time: null })
    expect(json.calls[0].duration).toBeGreaterThan(HOUR_MS / 1000)
  })

  it('answers the same with .json behind the path', async () => {
    const answer = await server.call(`${base}.json`)
    expect(sids(answer)).toEqual(idsOf(2, 1, 0))
    expect(answer.json.uri).toBe(`${base}.json?Page=0&PageSize=50`)
  })

  it.each<[Record<string, string>, number[]]>([
    [{ Status: 'in-progress' }, [2]],
    [{ Status: 'completed' }, [1, 0]],
    [{ Status: 'busy' }, []],
    [{ From: 'Bob' }, [2]],
    [{ To: 'standup' }, [1, 0]],
    [{ To: 'standup', From: 'Bob' }, []],
    [{ StartTime: '2018-09-19' }, [1, 0]],
    [{ StartTime: 'Wed, 19 Sep 2018 20:00:01 +0000' }, [0]],
    [{ StartTime: 'Wed, 19 Sept 2018 22:00:01 +0200' }, [0]],
    [{ StartTime: '2018-09-19T20:00:02Z' }, []],
    [{ 'StartTime<': '2018-09-20' }, [1, 0]],
    [{ 'StartTime<': '19 Sep 2018 20:00:01 GMT' }, [0]],
    [{ 'StartTime>': '2018-09-19T22:00:00Z' }, [2, 1]],
    [{ 'StartTime>': '2018-09-19T22:00:00Z', 'StartTime<': '2018-09-20' }, [1]],
    [{ EndTime: '2018-09-19' }, [1, 0]],
    [{ 'EndTime<': '2018-09-19T21:00:01Z' }, [0]],
    [{ 'EndTime>': '2018-09-19T22:00:00Z' }, [1]],
    [{ Unknown: 'x' }, [2, 1, 0]],
  ])('filters by %j', async (filter, expected) => {
    const answer = await server.call(`${base}?${new URLSearchParams(filter)}`)
    expect(answer.status).toBe(200)
    expect(sids(answer)).toEqual(idsOf(...expected))
  })

  it('takes comparisons as other clients of the interface write them', async () => {
    expect(sids(await server.call(`${base}?StartTime<=2018-09-20`))).toEqual(idsOf(1, 0))
    expect(sids(await server.call(`${base}?ParentCallSid=${calls[0]?.id.toUpperCase()}`))).toEqual(idsOf(1))
  })

  it('walks all pages forth and back with the filters of the first', async () => {
    const seen: string[] = []
    let answer = await server.call(`${base}?PageSize=1&To=standup`)
    seen.push(...sids(answer))
    expect(answer.json.previous_page_uri).toBeNull()
    while (answer.json.next_page_uri) {
      answer = await server.call(answer.json.next_page_uri)
      seen.push(...sids(answer))
    }
    expect(seen).toEqual(idsOf(1, 0))
    expect(answer.json).toMatchObject({ page: 1, page_size: 1 })
    expect(new URL(answer.json.uri, server.origin).searchParams.get('PageToken')).toMatch(/^PA/)
    expect(sids(await server.call(answer.json.previous_page_uri))).toEqual(idsOf(1))
  })
})

describe('GET Accounts/{project_id}/Calls/{sid}', () => {
  it('shows the call where its uri says', async () => {
    const { json } = await server.call(base)
    const answer = await server.call(json.calls[2].uri)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual(json.calls[2])
    expect((await server.call(`${base}/${json.calls[2].sid}`)).json).toEqual(json.calls[2])
  })
})

describe('errors of the compatibility family', () => {
  const other = newId()
  it.each<[string, string, TestRequest, number, string]>([
    ['no credentials', '', { credentials: null }, 401, 'token_invalid'],
    ['wrong credentials', '', { credentials: { user: other, password: 'x' } }, 401, 'token_invalid'],
    ['another account', '', { credentials: STRANGER }, 404, 'provided_id_is_unrecognized'],
    ['no such call', `/${other}`, {}, 404, 'provided_id_is_unrecognized'],
    ['no id of a call', '/xyz.json', {}, 404, 'provided_id_is_unrecognized'],
    ['no such route', '/x/y', {}, 404, 'does_not_exist'],
    ['a wrong method', '', { method: 'DELETE' }, 404, 'does_not_exist'],
    ['a bad escape', '/%zz', {}, 400, 'invalid_parameter'],
    ['a page size of 0', '?PageSize=0', {}, 422, 'invalid_parameter'],
    ['a page size of 1001', '?PageSize=1001', {}, 422, 'invalid_parameter'],
    ['a page without its token', '?Page=1', {}, 422, 'page_token_required'],
    ['a token of nobody', '?Page=1&PageToken=PAx', {}, 422, 'page_token_is_invalid'],
    ['an unknown status', '?Status=gone', {}, 422, 'invalid_parameter'],
    ['no date', '?StartTime=yesterday', {}, 422, 'not_a_datetime'],
    ['a day that does not exist', '?EndTime=30%20Feb%202018%2010:00:00%20GMT', {}, 422, 'not_a_datetime'],
    ['no id of a parent', '?ParentCallSid=7', {}, 422, 'invalid_parameter'],
  ])('%s', async (_name, path, request, status, code) => {
    const answer = await server.call(base + path, request)
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.json).toEqual({
      code,
      message: expect.any(String),
      more_info: `${server.origin}/errors#${code}`,
      status,
    })
  })

  it('a page without its token, by the names of this family', async () => {
    const { message } = (await server.call(`${base}?Page=1`)).json
    expect(message).toBe('PageToken: A `Page` above 0 needs the `PageToken` of a link.')
  })

  it('a scope that is missing', async () => {
    const credentials = { user: server.projectId, password: VIDEO_ONLY }
    const answer = await server.call(base, { credentials })
    expect(answer.status).toBe(403)
    expect(answer.json).toMatchObject({ code: 'invalid_auth_token_permissions', status: 403 })
  })

  it('tells all that is wrong in one message', async () => {
    const { json } = await server.call(`${base}?PageSize=0&Status=x`)
    expect(json.message).toMatch(/PageSize: .*Status: |Status: .*PageSize: /)
  })

  it('the challenge names Basic', async () => {
    const answer = await server.call(base, { credentials: null })
    expect(answer.headers['www-authenticate']).toMatch(/^Basic/)
  })
})

describe('errors elsewhere', () => {
  it('stay as they are, also where a path only begins alike', async () => {
    for (const path of ['/api/lamlx', '/api/video/nothing', '/api/relay/restx']) {
      const answer = await server.call(path)
      expect(answer.status).toBe(404)
      expect(answer.json.errors[0]).toMatchObject({ code: 'does_not_exist', attribute: null })
    }
  })

  it('of the relay family have fields of their own', async () => {
    const { status, json } = await server.call('/api/relay/rest/phone_numbers')
    expect(status).toBe(404)
    expect(json).toEqual({
      errors: [
        { detail: expect.any(String), status: '404', title: expect.any(String), code: 'does_not_exist' },
      ],
    })
  })
})
