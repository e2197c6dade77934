import { expect, test } from 'vitest'
import { readRoomToken } from './room-token.ts'

const token = (payload: unknown) =>
  ['e30', Buffer.from(JSON.stringify(payload)).toString('base64url'), 'c2ln'].join('.')

test('room and name are read, whatever the alphabet', () => {
  expect(readRoomToken(token({ r: 'stand-up', rdn: 'Stand-up', u: 'Zoë 會議 ???>>>' }))).toEqual({
    roomName: 'stand-up',
    roomTitle: 'Stand-up',
    userName: 'Zoë 會議 ???>>>',
    onlyWatches: false,
  })
  expect(readRoomToken(token({ r: 'stand-up', u: null, ja: 'audience' }))).toEqual({
    roomName: 'stand-up',
    roomTitle: null,
    userName: null,
    onlyWatches: true,
  })
})

test('what is no room token is told', () => {
  for (const text of ['', 'abc', 'a.b.c', token({}), token({ r: '' }), token(null), token({ r: 5 })]) {
    expect(readRoomToken(text)).toBeNull()
  }
})
