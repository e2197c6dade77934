import { type ReactNode, useRef } from 'react'
import { t } from '../../languages/texts.ts'
import { LayoutPicture } from '../../room/layout-picture.tsx'
import { useMediaQuery } from '../../use-media-query.ts'
import type { LiveRoom } from './live-queries.ts'
import { useIsVisible } from './use-is-visible.ts'
import { usePreview } from './use-preview.ts'

/** The preview of a room while it is on the screen, or a drawing of its layout where there is none. */
export function RoomPreview({ room }: { room: LiveRoom }) {
  const place = useRef<HTMLDivElement>(null)
  const isVisible = useIsVisible(place)
  const clip = usePreview(room.preview_url, isVisible)
  const isCalm = useMediaQuery('(prefers-reduced-motion: reduce)')
  return (
    <div ref={place} className="relative aspect-video overflow-hidden bg-stage text-on-stage">
      {clip ? (
        <video
          key={clip}
          src={clip}
          muted
          loop
          playsInline
          autoPlay={!isCalm}
          aria-label={t('live.preview-of', { room: room.display_name })}
          className="size-full object-contain"
        />
      ) : (
        <Drawing room={room}>
          {t(room.preview_url === null ? 'live.previews-off' : 'live.preview-soon')}
        </Drawing>
      )}
    </div>
  )
}

function Drawing({ room, children }: { room: LiveRoom; children: ReactNode }) {
  return (
    <div className="grid size-full place-items-center">
      <div className="w-2/5 opacity-70">
        <LayoutPicture name={room.layout} members={Math.max(1, room.people)} />
      </div>
      <p className="absolute inset-x-0 bottom-0 bg-stage-label px-3 py-2 text-center text-sm">{children}</p>
    </div>
  )
}
