import { Mic, PhoneOff, Video } from 'lucide-react'
import type { CSSProperties } from 'react'
import { type ConferenceColours, type Theme, themeOf } from '../../conference/theme.ts'
import { t } from '../../languages/texts.ts'

/** How the page of a conference looks in a theme, with what it corrects. Nothing in it can be used. */
export function ColourPreview({ theme, colours }: { theme: Theme; colours: ConferenceColours }) {
  const style = { ...themeOf(colours, theme), colorScheme: theme } as CSSProperties
  return (
    <div
      style={style}
      data-testid={`preview-${theme}`}
      className="rounded-lg border border-line bg-canvas p-4 text-ink"
    >
      <p className="text-lg font-semibold tracking-tight">{t(`rooms.theme-${theme}`)}</p>
      <p className="mt-0.5 text-sm text-ink-soft">{t('rooms.preview-text')}</p>
      <div className="mt-3 flex flex-wrap items-center gap-2 text-sm font-semibold">
        <span className="rounded-md bg-accent px-3 py-2 text-on-accent">{t('rooms.preview-join')}</span>
        <span className="rounded-full bg-live-soft px-2.5 py-1 text-xs text-live">
          {t('rooms.preview-live')}
        </span>
        <span className="rounded-full bg-danger-soft px-2.5 py-1 text-xs text-danger-ink">
          {t('rooms.preview-problem')}
        </span>
        <span aria-hidden className="ms-auto flex gap-1.5">
          <span className="rounded-full bg-hover p-2">
            <Mic className="size-4" />
          </span>
          <span className="rounded-full bg-accent-soft p-2 text-accent">
            <Video className="size-4" />
          </span>
          <span className="rounded-full bg-danger p-2 text-on-danger">
            <PhoneOff className="size-4 rtl:-scale-x-100" />
          </span>
        </span>
      </div>
    </div>
  )
}
