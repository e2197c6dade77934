import { Users } from 'lucide-react'
import type { CSSProperties, ReactNode } from 'react'
import type { TextId } from '../../languages/catalogs.ts'
import { clockText, dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { talkingSpans } from './quality.ts'
import type { MemberQuality } from './session-queries.ts'
import { type Lane, placeIn, type Span, type Timeline } from './timeline.ts'

interface LanesProps {
  timeline: Timeline
  qualities: readonly MemberQuality[]
  /** The parts that the chosen recording shows. */
  recorded: readonly Span[]
  /** The moment that is played or was picked; null if there is none. */
  moment: number | null
  onPick: (moment: number) => void
}

const TICKS = 5
/** In a session shorter than this, neighbouring ticks may lie in the same minute. */
const SHORT_MS = 5 * 60_000
const MARKS: readonly { label: TextId; look: string }[] = [
  { label: 'dashboard.mark-there', look: 'bg-accent' },
  { label: 'dashboard.mark-talking', look: 'bg-ink' },
  { label: 'dashboard.mark-muted', look: 'bg-line-strong' },
  { label: 'dashboard.mark-shared', look: 'bg-focus' },
  { label: 'dashboard.mark-hand', look: 'bg-hand' },
  { label: 'dashboard.mark-lost', look: 'bg-danger' },
]

/** A lane for each person, over the time of the session. A click picks a moment. */
export function Lanes({ timeline: { span, lanes }, qualities, recorded, moment, onPick }: LanesProps) {
  if (lanes.length === 0) {
    return (
      <EmptyState
        icon={<Users className="size-6" />}
        title={t('dashboard.nobody')}
        hint={t('dashboard.nobody-hint')}
      />
    )
  }
  const ticks = Array.from(
    { length: TICKS },
    (_, index) => span.from + ((span.to - span.from) * index) / (TICKS - 1),
  )
  return (
    <>
      <ul className="mb-4 flex flex-wrap gap-x-5 gap-y-1.5 text-xs text-ink-soft">
        {MARKS.map(({ label, look }) => (
          <li key={label} className="flex items-center gap-1.5">
            <span aria-hidden className={`size-2.5 rounded-sm ${look}`} />
            {t(label)}
          </li>
        ))}
      </ul>
      <ul className="space-y-2.5">
        {recorded.length > 0 && (
          <li className="grid items-center gap-x-4 sm:grid-cols-[9rem_minmax(0,1fr)]">
            <span className="text-sm text-ink-soft">{t('dashboard.recorded')}</span>
            <Track moment={moment} span={span} onPick={onPick} isThin>
              {recorded.map((part) => (
                <Bar key={part.from} style={placeIn(part, span)} look="inset-y-0 bg-danger" />
              ))}
            </Track>
          </li>
        )}
        {lanes.map((lane) => (
          <li key={lane.id} className="grid items-center gap-x-4 gap-y-1 sm:grid-cols-[9rem_minmax(0,1fr)]">
            <span className="truncate text-sm font-medium">
              <bdi>{lane.name || t('dashboard.somebody')}</bdi>
              {lane.isAudience && <span className="text-ink-soft"> · {t('dashboard.audience')}</span>}
              <span className="sr-only"> {inWords(lane)}</span>
            </span>
            <Track moment={moment} span={span} onPick={onPick}>
              <LaneBars
                lane={lane}
                span={span}
                quality={qualities.find(({ member_id }) => member_id === lane.id)}
              />
            </Track>
          </li>
        ))}
      </ul>
      <div
        aria-hidden
        dir="ltr"
        className="mt-2 flex justify-between text-xs text-ink-soft tabular-nums sm:ms-40"
      >
        {ticks.map((time) => (
          <span key={time}>
            {dateText(time, { timeStyle: span.to - span.from < SHORT_MS ? 'medium' : 'short' })}
          </span>
        ))}
      </div>
    </>
  )
}

interface TrackProps {
  span: Span
  moment: number | null
  onPick: (moment: number) => void
  isThin?: boolean
  children: ReactNode
}

/** The ground of a lane. The keyboard picks moments in the list of events instead. */
function Track({ span, moment, onPick, isThin = false, children }: TrackProps) {
  return (
    <div
      dir="ltr"
      aria-hidden
      onClick={({ currentTarget, clientX }) => {
        const { left, width } = currentTarget.getBoundingClientRect()
        onPick(span.from + ((clientX - left) / width) * (span.to - span.from))
      }}
      className={classNames(
        'relative cursor-pointer overflow-hidden rounded-sm bg-sunken',
        isThin ? 'h-2.5' : 'h-7',
      )}
    >
      {children}
      {moment !== null && (
        <span
          className="absolute inset-y-0 w-0.5 bg-ink"
          style={{ left: placeIn({ from: moment, to: moment }, span).left }}
        />
      )}
    </div>
  )
}

function LaneBars({ lane, span, quality }: { lane: Lane; span: Span; quality: MemberQuality | undefined }) {
  const ground = lane.isAudience ? 'bg-accent-soft' : 'bg-accent'
  return (
    <>
      <Bar style={placeIn(lane.here, span)} look={`inset-y-0 ${ground}`} />
      {lane.muted.map((part) => (
        <Bar key={`m${part.from}`} style={placeIn(part, span)} look="top-0 h-1/2 bg-line-strong" />
      ))}
      {talkingSpans(quality).map(({ share, ...part }) => (
        <Bar
          key={`t${part.from}`}
          style={{ ...placeIn(part, span), height: `${share * 60}%` }}
          look="bottom-0 bg-ink"
        />
      ))}
      {lane.lost.map((part) => (
        <Bar key={`l${part.from}`} style={placeIn(part, span)} look="inset-y-0 bg-danger" />
      ))}
      {lane.shared.map((part) => (
        <Bar key={`s${part.from}`} style={placeIn(part, span)} look="bottom-0 h-2 bg-focus" />
      ))}
      {lane.handRaised.map((part) => (
        <Bar key={`h${part.from}`} style={placeIn(part, span)} look="top-0 h-1.5 bg-hand" />
      ))}
      {lane.leftBecause !== null && lane.leftBecause !== 'left' && lane.leftBecause !== 'session_ended' && (
        <span
          className="absolute inset-y-0 w-1 -translate-x-full bg-danger"
          style={{ left: placeIn({ from: lane.here.to, to: lane.here.to }, span).left }}
        />
      )}
    </>
  )
}

const Bar = ({ style, look }: { style: CSSProperties; look: string }) => (
  <span className={`absolute ${look}`} style={style} />
)

/** The lane for those who do not see it. */
function inWords({ here, muted, shared }: Lane): string {
  const total = (parts: readonly Span[]) =>
    clockText(parts.reduce((sum, { from, to }) => sum + to - from, 0) / 1000)
  return t('dashboard.lane-in-words', {
    from: dateText(here.from, { timeStyle: 'short' }),
    to: dateText(here.to, { timeStyle: 'short' }),
    muted: total(muted),
    shared: total(shared),
  })
}
