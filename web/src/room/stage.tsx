import { useEffect, useRef } from 'react'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import { SelfView } from './self-view.tsx'
import { TileLabels } from './tile-labels.tsx'

/** The composed picture at 16:9, as large as the space allows, with a label on each tile. */
export function Stage({ meeting, state }: { meeting: Meeting; state: MeetingState }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    place.current?.append(meeting.element)
    return () => meeting.element.remove()
  }, [meeting])

  return (
    <div className="@container-size grid size-full place-items-center">
      <div className="relative aspect-video w-[min(100cqw,100cqh*16/9)] overflow-hidden rounded-lg bg-stage text-on-stage sm:rounded-xl">
        <div ref={place} className="size-full" />
        <SelfView meeting={meeting} state={state} />
        <TileLabels state={state} />
      </div>
    </div>
  )
}
