import { Volume2 } from 'lucide-react'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'

/** Browsers require a click before a page may play sound. This is the button for that click. */
export function SoundBlocked({ onPlay }: { onPlay: () => void }) {
  return (
    <div className="absolute inset-0 z-10 grid place-items-center">
      <Button kind="primary" size="large" onClick={onPlay} className="shadow-float">
        <Volume2 aria-hidden className="size-5" />
        {t('meeting.turn-sound-on')}
      </Button>
    </div>
  )
}
