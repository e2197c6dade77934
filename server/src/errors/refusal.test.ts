import { expect, test } from 'vitest'
import { catalogue, type ErrorCode, publicCode, publicErrors } from './catalogue.ts'
import { KINDS } from './kinds.ts'
import { Refusal } from './refusal.ts'

test('the code decides kind, statuses and fault', () => {
  const refusal = new Refusal('token_expired')
  expect(refusal).toMatchObject({
    kind: 'unauthenticated',
    httpStatus: 401,
    webSocketCode: '401',
    fault: 'caller',
  })
  expect(new Refusal('stream_not_accepted')).toMatchObject({ webSocketCode: '500', fault: 'destination' })
  expect(new Refusal('unavailable')).toMatchObject({ httpStatus: 503, webSocketCode: '503', fault: 'ours' })
})

/** What the client protocol answers, docs/protocol.md, sections 6 and 10. */
test.each([
  ['invalid_parameter', '400'],
  ['token_expired', '401'],
  ['not_permitted', '403'],
  ['room_is_not_chat_enabled', '403'],
  ['too_early', '403'],
  ['too_late', '403'],
  ['provided_id_is_unrecognized', '404'],
  ['room_missing', '404'],
  ['invalid_state', '409'],
  ['exceeds_platform_stream_limit', '409'],
  ['session_ended', '409'],
  ['message_length_exceeds_limit', '413'],
  ['state_size_limit_exceeded', '413'],
  ['room_locked', '423'],
  ['rate_limit_exceeded', '429'],
  ['seats_taken', '480'],
  ['media_failed', '500'],
  ['stream_not_accepted', '500'],
  ['unavailable', '503'],
  ['no_space', '507'],
] as const)('%s is %s in the client protocol', (code, webSocketCode) => {
  expect(new Refusal(code).webSocketCode).toBe(webSocketCode)
})

/** Codes that REST sends with two statuses: one of them under a code of our own. */
test.each([
  ['token_expired', 401, 'token_expired'],
  ['refresh_token_expired', 422, 'token_expired'],
  ['link_expired', 403, 'token_expired'],
  ['token_invalid', 401, 'token_invalid'],
  ['link_invalid', 403, 'token_invalid'],
  ['invalid_parameter', 422, 'invalid_parameter'],
  ['request_invalid', 400, 'invalid_parameter'],
  ['not_a_hash', 422, 'not_a_hash'],
  ['body_not_a_hash', 400, 'not_a_hash'],
  ['internal_error_occurred', 500, 'internal_error_occurred'],
  ['unavailable', 503, 'internal_error_occurred'],
] as const)('%s is %i over REST, shown as %s', (code, status, shown) => {
  expect(new Refusal(code).httpStatus).toBe(status)
  expect(publicCode(code)).toBe(shown)
})

test('REST shows only codes of the published interface, at the statuses that it documents', () => {
  for (const code of Object.keys(catalogue) as ErrorCode[]) {
    expect(Object.keys(publicErrors)).toContain(publicCode(code))
    expect([400, 401, 403, 404, 422, 429, 500, 503]).toContain(KINDS[catalogue[code].kind].status)
  }
})

test('several entries are answered together: a missing field outweighs invalid ones', () => {
  const invalid = { code: 'not_a_string', attribute: 'name' } as const
  const missing = { code: 'missing_required_parameter', attribute: 'url' } as const
  expect(new Refusal([invalid]).kind).toBe('invalid')
  const refusal = new Refusal([invalid, missing])
  expect(refusal.kind).toBe('incomplete')
  expect(refusal.entries).toEqual([
    { ...invalid, message: 'The value must be a string.' },
    { ...missing, message: 'This value is required.' },
  ])
})

test("the message is the catalogue's, unless the throw has a better one; the cause is kept apart", () => {
  expect(new Refusal('room_locked').message).toBe('The room is locked. Ask somebody inside to unlock it.')
  expect(new Refusal('too_early', 'The room opens at noon.').message).toBe('The room opens at noon.')
  const cause = new Error('disk on fire')
  const refusal = new Refusal('unavailable', { cause })
  expect(refusal.cause).toBe(cause)
  expect(JSON.stringify(refusal.entries)).not.toContain('fire')
})
