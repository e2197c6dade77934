import { Maximize, Minimize, PictureInPicture2 } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { t } from '../languages/texts.ts'
import { MenuItem } from '../ui/menu.tsx'

/** How the picture is shown on this device: on the whole screen, or in a small window above others. */
export function ViewItems({ element }: { element: HTMLElement }) {
  const isFull = useSyncExternalStore(onFullScreen, () => document.fullscreenElement !== null)
  const hasSmallWindow = 'pictureInPictureEnabled' in document && document.pictureInPictureEnabled
  return (
    <>
      {document.fullscreenEnabled && (
        <MenuItem
          icon={isFull ? <Minimize className="size-4" /> : <Maximize className="size-4" />}
          onSelect={() =>
            void (isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen())
          }
        >
          {t(isFull ? 'panels.full-screen-end' : 'panels.full-screen')}
        </MenuItem>
      )}
      {hasSmallWindow && (
        <MenuItem
          icon={<PictureInPicture2 className="size-4" />}
          // The browser refuses while there is no picture.
          onSelect={() =>
            void element
              .querySelector('video')
              ?.requestPictureInPicture()
              .catch(() => {})
          }
        >
          {t('panels.picture-in-picture')}
        </MenuItem>
      )}
    </>
  )
}

function onFullScreen(listener: () => void): () => void {
  document.addEventListener('fullscreenchange', listener)
  return () => document.removeEventListener('fullscreenchange', listener)
}
