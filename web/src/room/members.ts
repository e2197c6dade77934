/** Somebody, or a screen of somebody, in the meeting. */
export interface MeetingMember {
  id: string
  name: string
  type: string
  /** Whose screen or extra device it is. */
  parentId: string | null
  audioMuted: boolean
  videoMuted: boolean
  talking: boolean
}

/** A member as the client protocol sends it; events about one change may carry only a part. */
export interface MemberPayload {
  id: string
  name?: string
  type?: string
  parent_id?: string
  audio_muted?: boolean
  video_muted?: boolean
  talking?: boolean
}

/** The list with this member added or changed. What the payload does not say stays. */
export function withMember(
  members: readonly MeetingMember[],
  payload: MemberPayload,
): readonly MeetingMember[] {
  const present = members.find((member) => member.id === payload.id)
  // A part of somebody unknown says too little to show; the whole follows in an event of its own.
  if (!present && payload.name === undefined) return members
  const member: MeetingMember = {
    id: payload.id,
    name: payload.name ?? present?.name ?? '',
    type: payload.type ?? present?.type ?? 'member',
    parentId: payload.parent_id === undefined ? (present?.parentId ?? null) : payload.parent_id || null,
    audioMuted: payload.audio_muted ?? present?.audioMuted ?? false,
    videoMuted: payload.video_muted ?? present?.videoMuted ?? false,
    talking: payload.talking ?? present?.talking ?? false,
  }
  return present ? members.map((one) => (one === present ? member : one)) : [...members, member]
}

/** The list without this member and its screens. */
export function withoutMember(members: readonly MeetingMember[], id: string): readonly MeetingMember[] {
  return members.filter((member) => member.id !== id && member.parentId !== id)
}

/** The people among the members: no screens, no extra devices. */
export function peopleOf(members: readonly MeetingMember[]): readonly MeetingMember[] {
  return members.filter((member) => member.parentId === null)
}
