import { expect, test } from 'vitest'
import { refusalText } from './refusal-text.ts'

test('a refusal says what to do instead of naming a permission or a method', () => {
  expect(refusalText({ code: '403', message: 'Permission denied: room.set_layout' })).toMatch(
    /^You may not .*Ask a moderator/,
  )
  expect(refusalText({ code: '404', message: 'member_id: unknown' })).toMatch(/not there any more/)
  expect(refusalText({ code: -32601, message: 'Method not found: video.set_layout' })).toMatch(
    /does not offer it/,
  )
  expect(refusalText({ code: '429', message: '' })).toMatch(/Wait a moment/)
  expect(refusalText({ code: '500', message: 'internal_error_occurred' })).toMatch(/had a problem/)
})

test('what the server says to people is passed on as a sentence', () => {
  const message = 'The address does not answer. Check the link.'
  expect(refusalText({ code: '409', message })).toBe(message)
  expect(refusalText({ code: '400', message: 'Invalid params: url must be a URL' })).toBe(
    'The server did not accept this: it must be a URL.',
  )
  expect(refusalText(new Error('Wait until you are in the room.'))).toBe('Wait until you are in the room.')
  expect(refusalText({ code: '409', message: '' })).toBe('Try again.')
})

test('an answer that never came is told as that', () => {
  expect(refusalText(new TypeError("Cannot destructure property 'playback'"))).toMatch(/did not answer/)
  expect(refusalText(undefined)).toMatch(/did not answer/)
})
