import { Refusal } from '../../errors/refusal.ts'
import type { RoomTokenGrant } from '../room-token.ts'

/** Fields of a token and of a room that limit when somebody may join and must leave. Times are Unix milliseconds. */
type Window = Pick<RoomTokenGrant, 'join_from' | 'join_until' | 'remove_at' | 'remove_after_seconds_elapsed'>

const ANY_TIME: Window = {
  join_from: null,
  join_until: null,
  remove_at: null,
  remove_after_seconds_elapsed: null,
}

const latest = (times: (number | null)[]) => Math.max(...times.map((time) => time ?? -Infinity))
const earliest = (times: (number | null)[]) => Math.min(...times.map((time) => time ?? Infinity))
const iso = (timeMs: number) => new Date(timeMs).toISOString()

/**
 * Checks whether somebody with this token may join this room now. Token and room both have a time window; both must
 * allow it.
 * @param room null if the room does not exist yet
 * @throws Refusal `too_early`, `too_late` or `room_missing`
 */
export function checkAdmission(
  token: Window & Pick<RoomTokenGrant, 'auto_create_room' | 'room_name'>,
  room: Window | null,
  now: number,
): void {
  if (!room && !token.auto_create_room) {
    throw new Refusal(
      'room_missing',
      `Room "${token.room_name}" does not exist. Create it first, or use a token with auto_create_room.`,
    )
  }
  const { join_from, join_until, remove_at } = room ?? ANY_TIME
  const opensAt = latest([token.join_from, join_from])
  if (now < opensAt) {
    throw new Refusal('too_early', `The room opens at ${iso(opensAt)}. Join after that.`)
  }
  const closesAt = earliest([token.join_until, join_until])
  if (now >= closesAt) {
    throw new Refusal('too_late', `The time to join was over at ${iso(closesAt)}. Ask for a new token.`)
  }
  const clearedAt = earliest([token.remove_at, remove_at])
  if (now >= clearedAt) {
    throw new Refusal(
      'too_late',
      `Participants were to be removed at ${iso(clearedAt)}. Ask for a new token.`,
    )
  }
}

/** When a member that joins at `joinedAt` must be removed; null means never. */
export function removalTime(token: Window, room: Window, joinedAt: number): number | null {
  const seconds = earliest([token.remove_after_seconds_elapsed, room.remove_after_seconds_elapsed])
  const removeAt = Math.min(earliest([token.remove_at, room.remove_at]), joinedAt + seconds * 1000)
  return Number.isFinite(removeAt) ? removeAt : null
}
