import { expect, test } from 'vitest'
import { comesBack, leaveReason, leaveReasonText } from './leave-reason.ts'

const call = {
  roomEnded: false,
  clientReason: undefined,
  cause: undefined,
  mediaConnected: true,
  tokenRefused: false,
}

test('the cause of the server is told first', () => {
  expect(leaveReason({ ...call, cause: 'MANAGER_REQUEST' })).toBe('removed')
  expect(leaveReason({ ...call, cause: 'CALL_REJECTED' })).toBe('invitation-void')
  expect(leaveReason({ ...call, cause: 'NORMAL_TEMPORARY_FAILURE', roomEnded: true })).toBe('server-trouble')
  expect(leaveReason({ ...call, cause: 'NORMAL_CLEARING' })).toBe('room-ended')
  expect(leaveReason({ ...call, roomEnded: true })).toBe('room-ended')
  expect(leaveReason({ ...call, clientReason: 'RECONNECTION_ATTEMPT_TIMEOUT' })).toBe('connection-lost')
  expect(leaveReason({ ...call, mediaConnected: false })).toBe('media-failed')
  expect(leaveReason({ ...call, tokenRefused: true, mediaConnected: false })).toBe('token-refused')
  expect(leaveReason({ ...call, cause: 'A_NEW_ONE', clientReason: 'x' })).toBe('unknown')
  expect(leaveReason(call)).toBe('unknown')
})

const decided = ['left', 'removed', 'time-over', 'room-ended', 'elsewhere', 'unknown'] as const
const suffered = [
  'connection-lost',
  'media-failed',
  'server-trouble',
  'server-stopped',
  'server-restarted',
  'token-refused',
] as const

test('the page comes back from an accident, never from a decision', () => {
  for (const reason of decided) expect([reason, comesBack(reason, true)]).toEqual([reason, false])
  for (const reason of suffered) expect([reason, comesBack(reason, true)]).toEqual([reason, true])
  expect(comesBack('media-failed', false)).toBe(false)
})

test('every reason has words', () => {
  for (const reason of [...decided, ...suffered]) {
    expect(leaveReasonText(reason).title).not.toBe('')
    expect(leaveReasonText(reason).hint).not.toBe('')
  }
})
