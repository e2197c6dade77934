import type { EmbedEvents, EmbedMember } from '@parley/embed/protocol'
import type { MeetingState } from '../room/meeting-state.ts'
import type { MeetingMember } from '../room/members.ts'

/** An event for the page around. */
export type Report = {
  [Name in keyof EmbedEvents]: { name: Name; detail: EmbedEvents[Name] }
}[keyof EmbedEvents]

/** What the page around is told of a member. */
export const reportedMember = (member: MeetingMember): EmbedMember => {
  const { id, name, type, parentId, audioMuted, videoMuted } = member
  return { id, name, type, parentId, audioMuted, videoMuted }
}

/** The events that follow from a change of the state, while somebody is in. */
export function reportedChanges(before: MeetingState, after: MeetingState): Report[] {
  const has = (members: readonly MeetingMember[], id: string) => members.some((one) => one.id === id)
  const came = after.members.filter(({ id }) => id !== after.selfId && !has(before.members, id))
  const went = before.members.filter(({ id }) => id !== after.selfId && !has(after.members, id))
  const [was, is] = [recordingOf(before), recordingOf(after)]
  return [
    ...came.map((one): Report => ({ name: 'member-joined', detail: { member: reportedMember(one) } })),
    ...went.map((one): Report => ({ name: 'member-left', detail: { member: reportedMember(one) } })),
    ...(was === is ? [] : [{ name: 'recording', detail: { state: is } } satisfies Report]),
    ...(after.layout === null || after.layout === before.layout
      ? []
      : [{ name: 'layout', detail: { name: after.layout } } satisfies Report]),
  ]
}

const recordingOf = ({ recording }: MeetingState): EmbedEvents['recording']['state'] =>
  recording === null ? 'ended' : recording.paused ? 'paused' : 'recording'
