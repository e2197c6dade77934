import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hrefOfOldFragment, type LinkedRoute, parseRoute, routeHref } from './routes.ts'

/** Parses an address as the browser splits it. */
function routeAt(href: string) {
  const { pathname, hash } = new URL(href, 'https://meet.example.org')
  return parseRoute(pathname, hash)
}

// A URL cannot have these two as a segment of its path. No room has such a name.
const text = fc.string({ minLength: 1, unit: 'grapheme' }).filter((name) => name !== '.' && name !== '..')
const linked: fc.Arbitrary<LinkedRoute> = fc.oneof(
  fc.record({ screen: fc.constant('lobby' as const), roomName: fc.option(text) }),
  fc.record({ screen: fc.constant('visit' as const), roomName: text }),
  fc.record({ screen: fc.constant('guest' as const), roomToken: text }),
)

test('every route survives the address bar', () => {
  fc.assert(
    fc.property(linked, (route) => {
      expect(routeAt(routeHref(route))).toEqual(route)
    }),
  )
})

test('no secret is in the path, which is sent and logged', () => {
  expect(new URL(routeHref({ screen: 'guest', roomToken: 'secret' }), 'https://x').pathname).toBe('/join')
})

test('the token of a conference stays in the fragment', () => {
  expect(routeAt('/c/board#vpt_secret')).toEqual({ screen: 'conference', name: 'board' })
})

test.each([
  ['/rooms/board/', { screen: 'lobby', roomName: 'board' }],
  ['/rooms/board?from=mail', { screen: 'lobby', roomName: 'board' }],
  ['/join', { screen: 'guest', roomToken: '' }],
  ['/join#%E0%A4%A', { screen: 'guest', roomToken: '' }],
])('%s is understood', (href, route) => {
  expect(routeAt(href)).toEqual(route)
})

test.each([
  '/nothing',
  '/rooms',
  '/rooms/',
  '/rooms//join',
  '/rooms/board/leave',
  '/rooms/board/join/now',
  '/rooms/%E0%A4%A',
  '/rooms/%',
  '/join/board',
  '/c',
  '/c/board/settings',
  '//',
])('there is nothing at %s', (path) => {
  expect(parseRoute(path, '')).toEqual({ screen: 'nothing' })
})

test.each(['/dashboard', '/dashboard/', '/dashboard/sessions/42'])('%s is in the dashboard', (path) => {
  expect(parseRoute(path, '')).toEqual({ screen: 'dashboard' })
})

test.each([
  ['#/', '/'],
  ['#/rooms/board', '/rooms/board'],
  ['#/rooms/board/join', '/rooms/board/join'],
  ['#/guest/header.payload.signature', '/join#header.payload.signature'],
  ['#/rooms/caf%C3%A9', '/rooms/caf%C3%A9'],
  ['#/rooms/', '/'],
  ['#/rooms/%E0%A4%A', '/'],
  ['#/guest/', '/'],
  ['#/anything', '/'],
])('the old address %s is now %s', (fragment, href) => {
  expect(hrefOfOldFragment(fragment)).toBe(href)
})

test.each(['', '#', '#header.payload.signature', '#vpt_secret', '#project=p&token=/t'])(
  'the fragment "%s" is no old address',
  (fragment) => {
    expect(hrefOfOldFragment(fragment)).toBeNull()
  },
)
