/** A person in the meeting, or a screen or extra device of a person. */
export interface MeetingMember {
  id: string
  name: string
  type: string
  /** For a screen or an extra device: the owner's member id. */
  parentId: string | null
  audioMuted: boolean
  videoMuted: boolean
  talking: boolean
  /** How loud the others hear it, in steps of gain from -50 to 50. */
  inputVolume: number
  handRaised: boolean
  /** When it was raised, in milliseconds of the server's clock; null if that is not known. */
  handRaisedAtMs: number | null
  /** The place that somebody asked for: `auto`, `standard-N`, `reserved-N`, `full-screen` or `off-canvas`. */
  requestedPosition: string
}

/** A member as the client protocol sends it. An event about one change may contain only some fields. */
export interface MemberPayload {
  id: string
  name?: string
  type?: string
  parent_id?: string
  audio_muted?: boolean
  video_muted?: boolean
  talking?: boolean
  input_volume?: number
  handraised?: boolean
  handraised_at?: number | null
  requested_position?: string
}

/** Returns the list with this member added or changed. Fields that the payload does not contain stay. */
export function withMember(
  members: readonly MeetingMember[],
  payload: MemberPayload,
): readonly MeetingMember[] {
  const present = members.find((member) => member.id === payload.id)
  // A partial payload about an unknown member is not enough to show. A separate event with all fields follows.
  if (!present && payload.name === undefined) return members
  const member: MeetingMember = {
    id: payload.id,
    name: payload.name ?? present?.name ?? '',
    type: payload.type ?? present?.type ?? 'member',
    parentId: payload.parent_id === undefined ? (present?.parentId ?? null) : payload.parent_id || null,
    audioMuted: payload.audio_muted ?? present?.audioMuted ?? false,
    videoMuted: payload.video_muted ?? present?.videoMuted ?? false,
    talking: payload.talking ?? present?.talking ?? false,
    inputVolume: payload.input_volume ?? present?.inputVolume ?? 0,
    handRaised: payload.handraised ?? present?.handRaised ?? false,
    handRaisedAtMs:
      payload.handraised_at === undefined ? (present?.handRaisedAtMs ?? null) : payload.handraised_at,
    requestedPosition: payload.requested_position ?? present?.requestedPosition ?? 'auto',
  }
  return present ? members.map((one) => (one === present ? member : one)) : [...members, member]
}

/** Returns the list without this member and its screens. */
export function withoutMember(members: readonly MeetingMember[], id: string): readonly MeetingMember[] {
  return members.filter((member) => member.id !== id && member.parentId !== id)
}

/** Returns the people among the members, without screens and extra devices. */
export function peopleOf(members: readonly MeetingMember[]): readonly MeetingMember[] {
  return members.filter((member) => member.parentId === null)
}

/**
 * Returns the ids of members with a raised hand, in the order in which they raised it, as far as the server tells.
 * @param before the same list before the last change of the members
 */
export function raisedHands(before: readonly string[], members: readonly MeetingMember[]): readonly string[] {
  const placeOf = (id: string) => (before.includes(id) ? before.indexOf(id) : before.length)
  const after = members
    .filter((member) => member.handRaised)
    .sort((one, other) => timeOf(one) - timeOf(other) || placeOf(one.id) - placeOf(other.id))
    .map(({ id }) => id)
  return after.join() === before.join() ? before : after
}

/** A finite number: the difference of two infinite ones is none. */
const timeOf = ({ handRaisedAtMs }: MeetingMember) => handRaisedAtMs ?? Number.MAX_SAFE_INTEGER

/** Returns the people with those who raised a hand first, in the order in which they raised it. */
export function handsFirst(
  people: readonly MeetingMember[],
  hands: readonly string[],
): readonly MeetingMember[] {
  const up = hands.flatMap((id) => people.find((one) => one.id === id) ?? [])
  return [...up, ...people.filter((one) => !up.includes(one))]
}
