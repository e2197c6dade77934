import type { CSSProperties } from 'react'
import type { MeetingTile } from './meeting-state.ts'

/** Places an element over a tile of the composed picture. */
export function tileBox(tile: MeetingTile): CSSProperties {
  return { left: `${tile.x}%`, top: `${tile.y}%`, width: `${tile.width}%`, height: `${tile.height}%` }
}
