import { t } from '../languages/texts.ts'
/**
 * Decides what to request when the own microphone or camera is turned on or off, and whether a change that the room
 * reports was requested here or came from a moderator. Pure: `own-mutes.ts` carries out the effects.
 */
export interface OwnMutesState {
  audioMuted: DeviceMutes
  videoMuted: DeviceMutes
  /** Number of the latest request. */
  lastRequest: number
  /** The meeting is over: nothing is requested or told any more. */
  isOver: boolean
}

/** The field of the own member that a request changes: the microphone's or the camera's. */
export type MutedField = 'audioMuted' | 'videoMuted'

interface DeviceMutes {
  /** Requests that are not answered yet, or whose change the room has not reported yet. Oldest first. */
  requests: readonly MuteRequest[]
  /** The request that turned the device on, until it is known to send. Null if nothing did, or it was muted since. */
  unmuting: number | null
}

interface MuteRequest {
  number: number
  muted: boolean
  isAnswered: boolean
  /** Whether the room has reported the change, or is known to report none. */
  isSeen: boolean
}

export type OwnMutesEvent =
  // From the person.
  | { kind: 'set'; what: MutedField; muted: boolean }
  /**
   * The room was joined.
   * @property shown the mutes of the own member; null if the room has not described it
   * @property running devices that were on before joining
   * @property mutes with `as-ready`, running devices are also unmuted, even if the token mutes them
   */
  | { kind: 'settle'; shown: Mutes | null; running: Running; mutes: 'of-room' | 'as-ready' }
  | { kind: 'over' }
  // From the server.
  /** @property isMuted what the room shows now; null if it does not show the own member */
  | { kind: 'accepted'; what: MutedField; request: number; isMuted: boolean | null }
  | { kind: 'refused'; what: MutedField; request: number; error: unknown }
  /** The room reports a change of the own member, whoever made it. */
  | { kind: 'changed'; what: MutedField; muted: boolean }
  // From the browser.
  /** The answer to `check-sending`. */
  | { kind: 'checked'; what: MutedField; request: number; sends: boolean }

type Mutes = Readonly<Record<MutedField, boolean>>
type Running = Readonly<{ audio: boolean; video: boolean }>

export type OwnMutesEffect =
  /** Ask the server. The answer carries this number. */
  | { do: 'request'; what: MutedField; request: number; muted: boolean }
  /** Find out whether the device sends again: the client hides it if a device does not start. */
  | { do: 'check-sending'; what: MutedField; request: number }
  | { do: 'tell'; title: string; hint: string }
  | { do: 'tell-refused'; title: string; error: unknown }

/** The state before the room is joined. */
export const initialOwnMutes: OwnMutesState = {
  audioMuted: { requests: [], unmuting: null },
  videoMuted: { requests: [], unmuting: null },
  lastRequest: 0,
  isOver: false,
}

const devices = { audioMuted: 'microphone', videoMuted: 'camera' } as const

type Step = readonly [OwnMutesState, readonly OwnMutesEffect[]]

/** Returns the next state for an event, and then the effects to carry out. */
export function nextOwnMutes(state: OwnMutesState, event: OwnMutesEvent): Step {
  if (state.isOver) return [state, []]
  switch (event.kind) {
    case 'set':
      return set(state, event.what, event.muted)
    case 'settle':
      return settle(state, event)
    case 'over':
      return [{ ...initialOwnMutes, isOver: true }, []]
    case 'accepted':
      return accepted(state, event)
    case 'refused':
      return refused(state, event)
    case 'changed':
      return changed(state, event)
    case 'checked':
      return checked(state, event)
  }
}

/** A second press before the first one had an effect requests nothing more. */
function set(state: OwnMutesState, what: MutedField, muted: boolean): Step {
  const latest = state[what].requests.at(-1)
  if (latest && latest.muted === muted && !latest.isSeen) return [state, []]
  const number = state.lastRequest + 1
  const requests = [...state[what].requests, { number, muted, isAnswered: false, isSeen: false }]
  return [
    { ...state, lastRequest: number, [what]: { requests, unmuting: muted ? null : number } },
    [{ do: 'request', what, request: number, muted }],
  ]
}

/**
 * Tells the room to mute what was off before joining. A token made for this visit says so itself. An invitation's
 * token was made earlier and cannot.
 */
function settle(
  state: OwnMutesState,
  { shown, running, mutes }: Extract<OwnMutesEvent, { kind: 'settle' }>,
): Step {
  if (!shown) return [state, []]
  const wanted = { audioMuted: !running.audio, videoMuted: !running.video }
  const fields = (['audioMuted', 'videoMuted'] as const).filter(
    (what) => shown[what] !== wanted[what] && (wanted[what] || mutes === 'as-ready'),
  )
  return fields.reduce<Step>(
    ([before, effects], what) => {
      const [after, more] = set(before, what, wanted[what])
      return [after, [...effects, ...more]]
    },
    [state, []],
  )
}

function accepted(
  state: OwnMutesState,
  { what, request, isMuted }: Extract<OwnMutesEvent, { kind: 'accepted' }>,
): Step {
  const { requests, unmuting } = state[what]
  if (!isUnanswered(state[what], request)) return [state, []]
  // A request for what is already so changes nothing, so no change follows. While the change of an earlier request is
  // still to be reported, what the room shows is older than this answer.
  const isCurrent = requests.every(({ number, isSeen }) => number >= request || isSeen)
  const noChange = (muted: boolean) => isMuted === null || (isCurrent && isMuted === muted)
  const answered = requests.map((one) =>
    one.number === request ? { ...one, isAnswered: true, isSeen: one.isSeen || noChange(one.muted) } : one,
  )
  return [
    withRequests(state, what, answered),
    unmuting === request ? [{ do: 'check-sending', what, request }] : [],
  ]
}

function refused(
  state: OwnMutesState,
  { what, request, error }: Extract<OwnMutesEvent, { kind: 'refused' }>,
): Step {
  const { requests, unmuting } = state[what]
  if (!isUnanswered(state[what], request)) return [state, []]
  const after = withRequests(
    state,
    what,
    requests.filter(({ number }) => number !== request),
  )
  return [
    unmuting === request ? withoutUnmuting(after, what) : after,
    [{ do: 'tell-refused', title: t(`meeting.own-${devices[what]}-not-changed`), error }],
  ]
}

const isUnanswered = ({ requests }: DeviceMutes, request: number): boolean =>
  requests.some(({ number, isAnswered }) => number === request && !isAnswered)

/**
 * A change belongs to the oldest request for it, and to those right behind that ask for the same: they change nothing.
 * If there is none, a moderator made it. The server carries out requests in order, so no change follows any more from
 * earlier requests.
 */
function changed(state: OwnMutesState, { what, muted }: Extract<OwnMutesEvent, { kind: 'changed' }>): Step {
  const { requests } = state[what]
  const own = requests.findIndex((request) => request.muted === muted && !request.isSeen)
  if (own >= 0) {
    const other = requests.findIndex((request, index) => index > own && request.muted !== muted)
    const end = other < 0 ? requests.length : other
    const seen = requests.map((request, index) => (index < end ? { ...request, isSeen: true } : request))
    return [withRequests(state, what, seen), []]
  }
  if (!muted) return [state, []]
  return [withoutUnmuting(state, what), [mutedByModerator(what)]]
}

function checked(
  state: OwnMutesState,
  { what, request, sends }: Extract<OwnMutesEvent, { kind: 'checked' }>,
): Step {
  if (state[what].unmuting !== request) return [state, []]
  if (sends) return [withoutUnmuting(state, what), []]
  // Others must not see a device as on that sends nothing.
  const [after, effects] = set(state, what, true)
  const device = devices[what]
  const hint = t(`meeting.own-${device}-failed-hint`)
  return [after, [{ do: 'tell', title: t(`guest.${device}-failed`), hint }, ...effects]]
}

function mutedByModerator(what: MutedField): OwnMutesEffect {
  const news = what === 'audioMuted' ? 'muted-by-moderator' : 'camera-off-by-moderator'
  return { do: 'tell', title: t(`meeting.${news}`), hint: t(`meeting.${news}-hint`) }
}

/** Keeps the requests whose answer or change is still to come. */
const withRequests = (
  state: OwnMutesState,
  what: MutedField,
  requests: readonly MuteRequest[],
): OwnMutesState => ({
  ...state,
  [what]: { ...state[what], requests: requests.filter(({ isAnswered, isSeen }) => !isAnswered || !isSeen) },
})

const withoutUnmuting = (state: OwnMutesState, what: MutedField): OwnMutesState => ({
  ...state,
  [what]: { ...state[what], unmuting: null },
})
