import { t } from '../languages/texts.ts'
/** A file or live source that plays in the room. */
export interface MeetingPlayback {
  id: string
  url: string
  paused: boolean
  /** -50 to 50; 0 is the volume of the source. */
  volume: number
  /** A live source cannot be sought in. */
  seekable: boolean
  /** Its position when the server last told it, in milliseconds. */
  positionMs: number
  /** When the server told it, on the monotonic clock. */
  toldAtMs: number
  /** Its length in milliseconds. Null if it is not known, as for live sources. */
  lengthMs: number | null
}

/** A playback as the client protocol sends it. `duration` (milliseconds) is an addition of this server. */
export interface PlaybackPayload {
  id: string
  url: string
  state: string
  volume: number
  position: number
  seekable: boolean
  duration?: number | null
}

/** @param nowMs monotonic clock */
function playbackOf(payload: PlaybackPayload, nowMs: number): MeetingPlayback {
  const { id, url, state, volume, position, seekable, duration } = payload
  return {
    id,
    url,
    paused: state === 'paused',
    volume: volume ?? 0,
    seekable: seekable ?? false,
    positionMs: position ?? 0,
    toldAtMs: nowMs,
    lengthMs: duration || null,
  }
}

/**
 * Returns the list with this playback added or changed, or without it if it is over. The oldest playback is first.
 * @param nowMs monotonic clock
 */
export function withPlayback(
  playbacks: readonly MeetingPlayback[],
  payload: PlaybackPayload,
  nowMs: number,
): readonly MeetingPlayback[] {
  if (payload.state === 'completed') return playbacks.filter((one) => one.id !== payload.id)
  const playback = playbackOf(payload, nowMs)
  return playbacks.some((one) => one.id === payload.id)
    ? playbacks.map((one) => (one.id === payload.id ? playback : one))
    : [...playbacks, playback]
}

/** Where the playback is at a time on the monotonic clock, in milliseconds. */
export function positionAt(playback: MeetingPlayback, nowMs: number): number {
  const { paused, positionMs, toldAtMs, lengthMs } = playback
  const position = paused ? positionMs : positionMs + Math.max(0, nowMs - toldAtMs)
  return lengthMs === null ? position : Math.min(position, lengthMs)
}

/** A short title for a link: the name of the file, else the host. */
export function linkTitle(url: string): string {
  if (!URL.canParse(url)) return url
  const { pathname, host } = new URL(url)
  const name = pathname.split('/').findLast((part) => part !== '')
  if (name === undefined) return host
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

const schemes = /^(https?|rtmps?):$/

/** The problem with a link that somebody wants to play, or null. Only the server can say whether it plays. */
export function linkProblem(link: string): string | null {
  if (link.trim() === '') return t('meeting.link-missing')
  if (!URL.canParse(link.trim()) || !schemes.test(new URL(link.trim()).protocol)) {
    return t('meeting.link-not-whole')
  }
  return null
}
