import { expect, test } from 'vitest'
import { leaveReason, leaveReasonText } from './leave-reason.ts'

const call = { roomEnded: false, clientReason: undefined, cause: undefined, mediaConnected: true }

test('the cause of the server is told first', () => {
  expect(leaveReason({ ...call, cause: 'MANAGER_REQUEST' })).toBe('removed')
  expect(leaveReason({ ...call, cause: 'CALL_REJECTED' })).toBe('invitation-void')
  expect(leaveReason({ ...call, cause: 'NORMAL_TEMPORARY_FAILURE', roomEnded: true })).toBe('server-trouble')
  expect(leaveReason({ ...call, cause: 'NORMAL_CLEARING' })).toBe('room-ended')
  expect(leaveReason({ ...call, roomEnded: true })).toBe('room-ended')
  expect(leaveReason({ ...call, clientReason: 'RECONNECTION_ATTEMPT_TIMEOUT' })).toBe('connection-lost')
  expect(leaveReason({ ...call, mediaConnected: false })).toBe('media-failed')
  expect(leaveReason(call)).toBe('unknown')
})

test('every reason has words', () => {
  const reasons = ['left', 'removed', 'time-over', 'room-ended', 'connection-lost', 'media-failed'] as const
  for (const reason of [...reasons, 'server-trouble', 'server-stopped', 'elsewhere', 'unknown'] as const) {
    expect(leaveReasonText(reason).title).not.toBe('')
    expect(leaveReasonText(reason).hint).not.toBe('')
  }
})
