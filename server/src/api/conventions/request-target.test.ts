import { expect, it } from 'vitest'
import { originForm } from './request-target.ts'

const HOST = 'localhost:8443'

it.each([
  ['/api/video/rooms?page_size=1', '/api/video/rooms?page_size=1', HOST],
  ['//elsewhere.example/x', '//elsewhere.example/x', HOST],
  ['*', '*', HOST],
  ['https:///x', 'https:///x', HOST],
  ['https://meet.example.org/api/video/rooms?a=b', '/api/video/rooms?a=b', 'meet.example.org'],
  ['HTTPS://meet.example.org:8443/x', '/x', 'meet.example.org:8443'],
  ['http://meet.example.org', '/', 'meet.example.org'],
  ['https://meet.example.org?a=b', '/?a=b', 'meet.example.org'],
])('takes %s for %s at %s', (url, path, host) => {
  const headers = { host: HOST }
  expect(originForm({ url, headers })).toBe(path)
  expect(headers.host).toBe(host)
})
