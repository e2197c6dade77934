import { useState } from 'react'
import { t } from '../../languages/texts.ts'
import { classNames } from '../../ui/class-names.ts'
import { Tooltip } from '../../ui/tooltip.tsx'
import type { Meeting } from '../meeting.ts'
import type { MeetingState } from '../meeting-state.ts'
import { type ConnectionFacts, type QualityLevel, qualityOf } from './connection-quality.ts'
import { useConnectionFacts } from './use-connection-facts.ts'

const BARS: Readonly<Record<QualityLevel, number>> = { poor: 1, fair: 2, good: 3 }
const COLOURS: Readonly<Record<QualityLevel, string>> = {
  poor: 'bg-danger',
  fair: 'bg-warning-ink',
  good: 'bg-live',
}

/** The quality of the own connection as bars, from what the browser measures. Their words are there on focus and hover. */
export function QualityBars({ meeting, state }: { meeting: Meeting; state: MeetingState }) {
  const facts = useConnectionFacts(meeting, state.tiles.length > 0)
  // A press shows the words where there is neither focus nor hover.
  const [isPressed, setPressed] = useState(false)
  if (!facts || !state.connected) return null
  const level = qualityOf(facts)
  const label = t('panels.quality', { level: t(`panels.quality-${level}`) })
  return (
    <span className="flex min-w-0 items-center gap-2 sideways:rounded-full sideways:bg-surface">
      <Tooltip text={wordsOf(facts)}>
        <button
          type="button"
          aria-label={label}
          aria-expanded={isPressed}
          onClick={() => setPressed(!isPressed)}
          className="flex size-9 shrink-0 items-end justify-center gap-0.5 rounded-md p-2.5"
        >
          {[1, 2, 3].map((bar) => (
            <span
              key={bar}
              className={classNames(
                'w-1 rounded-full',
                bar <= BARS[level] ? COLOURS[level] : 'bg-line-strong',
              )}
              style={{ height: `${bar * 33}%` }}
            />
          ))}
        </button>
      </Tooltip>
      {isPressed && <span className="text-xs text-ink-soft">{wordsOf(facts)}</span>}
      <span
        role="status"
        className={level === 'poor' ? 'hidden text-sm text-danger-ink lg:inline' : 'sr-only'}
      >
        {level === 'poor' && t('panels.weak-network')}
      </span>
    </span>
  )
}

function wordsOf({ loss, roundTripMs, framesPerSecond }: ConnectionFacts): string {
  return t('panels.quality-facts', {
    lossPercent: Math.round(loss * 100),
    roundTripMs: roundTripMs ?? 0,
    framesPerSecond: Math.round(framesPerSecond ?? 0),
  })
}
