import { expect, test } from 'vitest'
import { ApiError } from './api-error.ts'
import { apiErrorText } from './error-text.ts'

const entry = (message: string, attribute: string | null = null) => ({
  type: 'validation_error',
  code: 'invalid_parameter',
  message,
  attribute,
  url: null,
})

test('no answer at all is told apart from a refusal', () => {
  expect(apiErrorText(new ApiError(0, [])).title).toMatch(/cannot be reached/)
  expect(apiErrorText(new ApiError(401, [])).title).toMatch(/project id or the API token/)
  expect(apiErrorText(new ApiError(403, [])).hint).toMatch(/Video scope/)
})

test('a refused field is told in the words of the server', () => {
  const error = new ApiError(422, [entry('Name is taken.', 'name'), entry('Too long.', 'display_name')])
  expect(apiErrorText(error).hint).toBe('Name is taken. Too long.')
  expect(error.about('name')).toBe('Name is taken.')
  expect(error.about('layout')).toBeNull()
})

test('every status has words, also with an empty body', () => {
  for (let status = 400; status < 600; status++) {
    const text = apiErrorText(new ApiError(status, []))
    expect(text.title).not.toBe('')
    expect(text.hint).not.toBe('')
  }
  expect(apiErrorText(new TypeError('x')).hint).toMatch(/Reload/)
})
