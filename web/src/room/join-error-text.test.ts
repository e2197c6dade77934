import { expect, test } from 'vitest'
import { ApiError } from '../api/api-error.ts'
import { joinErrorText } from './join-error-text.ts'
import { TimedOut } from './within.ts'

test('refusals of the room are told apart', () => {
  const title = (code: unknown, message: string) => joinErrorText({ code, message }).title
  expect(title('480', 'Room full')).toBe('The room is full')
  expect(title('480', 'The server has too much to do to take more. Try again in a minute.')).toBe(
    'The server has too much to do',
  )
  expect(title('480', 'The room is full. Try again when somebody has left.')).toBe('The room is full')
  expect(title('423', 'Locked')).toBe('The room is locked')
  expect(title(-32002, 'Authentication failed: token expired')).toBe('The invitation has expired')
  expect(title(-32002, 'Unknown project')).toBe('The server refused the invitation')
})

test('times are shown in the time of the reader', () => {
  const text = joinErrorText({
    code: '403',
    message: 'The room opens at 2031-05-06T07:08:09.000Z. Join after that.',
  })
  expect(text.title).toBe('The room is not open yet')
  expect(text.hint).toContain('2031')
  expect(text.hint).not.toContain('T07')
  expect(joinErrorText({ message: 'The time to join was over at 2020-01-01T00:00:00.000Z.' }).title).toBe(
    'The time to join is over',
  )
})

test('whatever else it is, something is said', () => {
  expect(joinErrorText(new ApiError(0, [])).title).toMatch(/reached/)
  expect(joinErrorText(new TimedOut()).title).toMatch(/did not answer/)
  for (const odd of [undefined, null, 'no', Symbol('x'), {}, new Error('')]) {
    expect(joinErrorText(odd)).toEqual({ title: 'Joining did not work', hint: 'Try again.' })
  }
})
