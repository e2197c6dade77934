import { Volume2 } from 'lucide-react'
import { Button } from '../ui/button.tsx'

/** Browsers want a click before a page may make sound; this is where to click. */
export function SoundBlocked({ onPlay }: { onPlay: () => void }) {
  return (
    <div className="absolute inset-0 z-10 grid place-items-center">
      <Button kind="primary" size="large" onClick={onPlay} className="shadow-float">
        <Volume2 aria-hidden className="size-5" />
        Turn the sound on
      </Button>
    </div>
  )
}
