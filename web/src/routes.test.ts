import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRoute, routeHref } from './routes.ts'

test('every route survives the address bar', () => {
  const text = fc.string({ minLength: 1, unit: 'grapheme' })
  const route = fc.oneof(
    fc.record({ screen: fc.constant('lobby' as const), roomName: fc.option(text) }),
    fc.record({ screen: fc.constant('visit' as const), roomName: text }),
    fc.record({ screen: fc.constant('guest' as const), roomToken: text }),
  )
  fc.assert(
    fc.property(route, (value) => {
      expect(parseRoute(routeHref(value))).toEqual(value)
    }),
  )
})

test('what cannot be read leads to the lobby', () => {
  const lobby = { screen: 'lobby', roomName: null }
  for (const fragment of [
    '',
    '#',
    '#/',
    '#/rooms',
    '#/rooms/',
    '#/guest/',
    '#/rooms/%E0%A4%A',
    '#project=1',
  ]) {
    expect(parseRoute(fragment)).toEqual(lobby)
  }
})
