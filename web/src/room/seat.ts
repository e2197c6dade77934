import { readStored, writeStored } from '../browser-storage.ts'

/** Where somebody sits, so that a reload of the page takes the same seat again. */
export interface Seat {
  roomName: string
  roomToken: string
  /** Whether they are sending at present. */
  cameraOn: boolean
  microphoneOn: boolean
}

const storageKey = 'parley.seat'

/** Of this tab only: another tab is another seat. */
export function loadSeat(roomName: string): Seat | null {
  try {
    const seat = JSON.parse(readStored('tab', storageKey) ?? 'null') as Seat | null
    return seat?.roomName === roomName && typeof seat.roomToken === 'string' ? seat : null
  } catch {
    return null
  }
}

/** @param seat null when they have left for good */
export function saveSeat(seat: Seat | null): void {
  writeStored('tab', storageKey, seat && JSON.stringify(seat))
}
