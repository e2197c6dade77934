import { MicOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { t } from '../../languages/texts.ts'
import { useMediaQuery } from '../../use-media-query.ts'
import { SHORTCUT_KEYS } from '../shortcuts/shortcut.ts'
import { useShortcutsOn } from '../shortcuts/shortcuts-switch.ts'
import type { MutedSpeech } from './muted-speech.ts'

/** Tells who speaks that nobody hears it, and what to press. */
export function MutedHint({ speech }: { speech: MutedSpeech }) {
  const isShown = useSyncExternalStore(speech.subscribe, speech.snapshot)
  const hasKeys = useMediaQuery('(pointer: fine)')
  const hasShortcut = useShortcutsOn() && hasKeys
  return (
    <div
      role="status"
      className="pointer-events-none absolute inset-x-0 bottom-4 z-2 flex justify-center px-4"
    >
      {isShown && (
        <p className="flex animate-appear items-center gap-2.5 rounded-full bg-ink px-4 py-2 text-sm font-medium text-canvas shadow-float">
          <MicOff aria-hidden className="size-4.5 shrink-0" />
          {hasShortcut
            ? t('panels.muted-hint', { key: SHORTCUT_KEYS.microphone.toUpperCase() })
            : t('panels.muted-hint-touch')}
        </p>
      )}
    </div>
  )
}
