import { type ReactNode, useEffect, useRef } from 'react'
import { classNames } from '../ui/class-names.ts'
import type { Meeting } from './meeting.ts'
import type { MeetingState, MeetingTile } from './meeting-state.ts'
import { SelfView } from './self-view.tsx'
import { insideView, tilesInside, type View } from './stage-views.ts'
import { tileBox } from './tile-box.ts'
import { TileButtons } from './tile-buttons.tsx'
import { TileLabels } from './tile-labels.tsx'

interface PictureViewProps {
  view: View
  meeting: Meeting
  state: MeetingState
  /** The tiles of the picture, from the bottom up. */
  tiles: readonly MeetingTile[]
  /** Those that certainly lie there. The others have no label at the moment. */
  settled: readonly MeetingTile[]
  /** Whether only the own tile of this view has a label, because all others have views of their own. */
  alone: boolean
  /** Whether one click chooses a tile. Otherwise it takes two. */
  oneClick: boolean
  /** Whether a button covers the bottom right corner. */
  hasCorner?: boolean
  onChoose: (memberId: string, byKeyboard: boolean) => void
  className?: string
  /** The whole picture. */
  children: ReactNode
}

/** A part of the composed picture, with the labels of the tiles in it. */
export function PictureView(props: PictureViewProps) {
  const { view, meeting, state, alone, oneClick, onChoose, className, children } = props
  const inside = tilesInside(view, props.tiles).filter(({ memberId }) => !alone || memberId === view.memberId)
  const labelled = inside.filter((tile) => props.settled.some(({ memberId }) => memberId === tile.memberId))
  const { x, y, width, height } = view.box
  return (
    <div
      data-picture={view.memberId ?? 'whole'}
      className={classNames('absolute overflow-hidden bg-stage text-on-stage', className)}
      style={{ left: x, top: y, width, height }}
    >
      <div className="absolute" style={tileBox(insideView(view, { x: 0, y: 0, width: 100, height: 100 }))}>
        {children}
        {labelled.some(({ memberId }) => memberId === state.selfId) && (
          <SelfView meeting={meeting} state={state} tiles={props.tiles} />
        )}
      </div>
      <TileLabels state={state} tiles={labelled} widthPx={width} hasCorner={props.hasCorner ?? false} />
      <TileButtons
        state={state}
        tiles={inside}
        main={view.memberId}
        oneClick={oneClick}
        onChoose={onChoose}
      />
    </div>
  )
}

/**
 * The composed picture once more. Several elements that share a stream decode it once. In Chromium without a graphics
 * processor five of them take 28 % of a core at 25 frames/s, and one canvas with the same five parts takes 47 %.
 */
export function PictureCopy({ stream }: { stream: MediaStream | null }) {
  const video = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    if (video.current) video.current.srcObject = stream
  }, [stream])
  return (
    <video ref={video} muted autoPlay playsInline aria-hidden className="pointer-events-none size-full" />
  )
}
