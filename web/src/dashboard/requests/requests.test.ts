import { expect, it } from 'vitest'
import { type LoggedRequest, withNews } from './request-queries.ts'

const request = (id: number, changes: Partial<LoggedRequest> = {}): LoggedRequest => ({
  id: String(id),
  request_id: `r${id}`,
  time: '2030-01-31T09:30:00Z',
  method: 'GET',
  path: '/api/video/rooms',
  status: 200,
  duration_ms: 1,
  credential_kind: 'api-token',
  credential_name: 'ci',
  error_code: null,
  ...changes,
})
const all = { method: '', status: '', text: '' }
const ids = (requests: LoggedRequest[]) => requests.map(({ id }) => Number(id))

it('puts what comes on top, once', () => {
  const listed = [request(3), request(2)]
  expect(ids(withNews(listed, [request(3), request(4), request(5)], all))).toEqual([5, 4, 3, 2])
  expect(ids(withNews([], [request(2)], all))).toEqual([2])
})

it('filters what comes as the server filters the list', () => {
  const news = [request(1, { status: 422, error_code: 'invalid_parameter' }), request(2, { method: 'POST' })]
  const found = (filters: object) => ids(withNews([], news, { ...all, ...filters }))
  expect(found({ status: '4xx', text: 'INVALID' })).toEqual([1])
  expect(found({ status: '2xx' })).toEqual([2])
  expect(found({ method: 'POST', text: 'ci' })).toEqual([2])
  expect(found({ text: 'nothing' })).toEqual([])
})
