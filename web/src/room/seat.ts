import { readStored, writeStored } from '../browser-storage.ts'

/** The seat of this page, so that a reload takes the same seat again. */
export interface Seat {
  roomName: string
  roomToken: string
  /** Whether it is a seat of the audience. */
  watches: boolean
  /** Whether each is on now. */
  cameraOn: boolean
  microphoneOn: boolean
}

const storageKey = 'parley.seat'

/** Reads this tab's seat. Another tab has another seat. */
export function loadSeat(roomName: string): Seat | null {
  try {
    const seat = JSON.parse(readStored('tab', storageKey) ?? 'null') as Seat | null
    return seat?.roomName === roomName && typeof seat.roomToken === 'string' ? seat : null
  } catch {
    return null
  }
}

/** Forgets this tab's seat, unless it was taken with this token. Whoever embeds the page may have another one now. */
export function keepSeatOf(roomToken: string): void {
  const stored = readStored('tab', storageKey)
  if (stored !== null && !stored.includes(JSON.stringify(roomToken).slice(0, -1))) saveSeat(null)
}

/** @param seat null after leaving for good */
export function saveSeat(seat: Seat | null): void {
  writeStored('tab', storageKey, seat && JSON.stringify(seat))
}
