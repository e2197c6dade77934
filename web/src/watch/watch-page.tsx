import { Play } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { useTitle } from '../use-title.ts'
import { type PlayerState, playLive } from './live-player.ts'
import { playlistOf } from './playlist-link.ts'

/** Shows a meeting over HLS. It begins without sound, or browsers would not let it begin. */
export function WatchPage({ link }: { link: string }) {
  useTitle(t('watch.title'))
  const video = useRef<HTMLVideoElement>(null)
  const playlist = playlistOf(link, location.origin)
  const [state, setState] = useState<PlayerState>(playlist ? 'soon' : 'unable')

  useEffect(() => {
    if (playlist && video.current) return playLive(video.current, playlist, setState)
    return undefined
  }, [playlist])

  return (
    <main className="relative grid h-full place-items-center bg-stage">
      <video
        ref={video}
        className="h-full w-full object-contain"
        aria-label={t('watch.title')}
        autoPlay
        controls={state !== 'unable'}
        muted
        playsInline
      />
      {state === 'refused' && (
        <div
          role="status"
          className="absolute grid max-w-md justify-items-center gap-3 rounded-lg bg-stage/75 p-5 text-center text-on-stage"
        >
          <Button kind="primary" size="large" onClick={() => play(video.current)}>
            <Play aria-hidden className="size-5" />
            {t('watch.play')}
          </Button>
          <p>{t('watch.play-hint')}</p>
        </div>
      )}
      {state !== 'playing' && state !== 'refused' && (
        <div role="status" className="absolute max-w-md px-5 text-center text-on-stage">
          <h1 className="text-2xl font-semibold tracking-tight">{headOf(state)}</h1>
          <p className="mt-2">{hintOf(state)}</p>
        </div>
      )}
    </main>
  )
}

/** Plays with sound: a click is what browsers want for it. */
function play(video: HTMLVideoElement | null): void {
  if (!video) return
  video.muted = false
  void video.play()
}

function headOf(state: PlayerState): string {
  if (state === 'over') return t('watch.over')
  return state === 'unable' ? t('watch.cannot') : t('watch.soon')
}

function hintOf(state: PlayerState): string | null {
  if (state === 'over') return null
  return state === 'unable' ? t('watch.cannot-hint') : t('watch.soon-hint')
}
