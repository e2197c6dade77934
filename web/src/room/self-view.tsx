import { useEffect, useRef } from 'react'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import { tileBox } from './tile-box.ts'

/**
 * The own camera, mirrored, over the own tile. People expect a mirror image, and the picture from the server is late.
 * While the camera starts, the element is empty and the tile below is visible.
 */
export function SelfView({ meeting, state }: { meeting: Meeting; state: MeetingState }) {
  const tile = state.tiles.find((one) => one.memberId === state.selfId)
  const self = state.members.find((member) => member.id === state.selfId)
  const stream = meeting.ownStream
  if (!tile?.live || !self || self.videoMuted || !stream) return null
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
