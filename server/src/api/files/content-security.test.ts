import { expect, test } from 'vitest'
import { contentSecurityPolicy } from './content-security.ts'

const mediaSources = (mediaOrigin: string | null) =>
  /media-src ([^;]*)/.exec(
    contentSecurityPolicy({ hosts: ['here.example'], mediaOrigin, framedBy: null }),
  )?.[1]

test.each([
  [null, "'self' blob:"],
  ['https://media.example.org', "'self' blob: https://media.example.org"],
  ['https://192.0.2.1:9000', "'self' blob: https://192.0.2.1:9000"],
  // Browsers ignore a source that names an IPv6 address.
  ['https://[2001:db8::1]:9000', "'self' blob: https:"],
  ['http://[::1]', "'self' blob: http:"],
])('pages play recordings from a store at %s', (origin, sources) => {
  expect(mediaSources(origin)).toBe(sources)
})
