import { useEffect, useRef } from 'react'
import type { Meeting } from './meeting.ts'
import type { MeetingState, MeetingTile } from './meeting-state.ts'
import { overlaps } from './stage-views.ts'
import { tileBox } from './tile-box.ts'

interface SelfViewProps {
  meeting: Meeting
  state: MeetingState
  /** From the bottom up. */
  tiles: readonly MeetingTile[]
}

/**
 * The own camera, mirrored, over the own tile. People expect a mirror image, and the picture from the server is late.
 * While the camera starts, the element is empty and the tile below is visible.
 */
export function SelfView({ meeting, state, tiles }: SelfViewProps) {
  const index = tiles.findIndex((one) => one.memberId === state.selfId)
  const tile = tiles[index]
  const self = state.members.find((member) => member.id === state.selfId)
  const stream = meeting.ownStream
  if (!tile?.live || !self || self.videoMuted || !stream) return null
  // This element would hide the tiles that the server draws over the own one.
  if (tiles.slice(index + 1).some((above) => overlaps(above, tile))) return null
  return <MirrorVideo stream={stream} style={tileBox(tile)} />
}

function MirrorVideo({ stream, style }: { stream: MediaStream; style: ReturnType<typeof tileBox> }) {
  const video = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    if (video.current) video.current.srcObject = stream
  }, [stream])
  return (
    <video
      ref={video}
      muted
      autoPlay
      playsInline
      aria-hidden
      className="pointer-events-none absolute -scale-x-100 object-cover"
      style={style}
    />
  )
}
