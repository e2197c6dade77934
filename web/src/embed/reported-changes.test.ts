import { expect, it } from 'vitest'
import { initialMeetingState, type MeetingState } from '../room/meeting-state.ts'
import type { MeetingMember } from '../room/members.ts'
import { reportedChanges } from './reported-changes.ts'

const member = (id: string, part: Partial<MeetingMember> = {}): MeetingMember => ({
  id,
  name: id,
  type: 'member',
  parentId: null,
  audioMuted: false,
  videoMuted: false,
  talking: false,
  inputVolume: 0,
  handRaised: false,
  handRaisedAtMs: null,
  requestedPosition: 'auto',
  ...part,
})
const state = (part: Partial<MeetingState>): MeetingState => ({
  ...initialMeetingState,
  selfId: 'me',
  ...part,
})
const running = { paused: false, recordedMs: 0, sinceMs: 1 }

it('tells who came and who went, but not of oneself', () => {
  const before = state({ members: [member('me'), member('ada')] })
  const after = state({ members: [member('lin', { type: 'screen', parentId: 'ada' })] })
  const { talking, inputVolume, handRaised, handRaisedAtMs, requestedPosition, ...lin } = member('lin', {
    type: 'screen',
    parentId: 'ada',
  })
  expect(reportedChanges(before, after)).toEqual([
    { name: 'member-joined', detail: { member: lin } },
    { name: 'member-left', detail: { member: expect.objectContaining({ id: 'ada' }) } },
  ])
})

it('tells of recording and layout when they change, and of nothing else', () => {
  const plain = state({ layout: 'grid-responsive' })
  const recorded = state({ layout: 'grid-responsive', recording: running })
  const paused = state({ layout: '2x2', recording: { ...running, paused: true } })
  expect(reportedChanges(plain, recorded)).toEqual([{ name: 'recording', detail: { state: 'recording' } }])
  expect(reportedChanges(recorded, paused)).toEqual([
    { name: 'recording', detail: { state: 'paused' } },
    { name: 'layout', detail: { name: '2x2' } },
  ])
  expect(reportedChanges(paused, plain)).toContainEqual({ name: 'recording', detail: { state: 'ended' } })
  expect(
    reportedChanges(plain, { ...plain, sharing: 'on', hands: ['x'], members: [...plain.members] }),
  ).toEqual([])
})
