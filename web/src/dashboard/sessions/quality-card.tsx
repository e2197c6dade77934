import { useState } from 'react'
import type { TextId } from '../../languages/catalogs.ts'
import { numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Select } from '../../ui/select.tsx'
import { Card } from '../card.tsx'
import { Plot } from '../plot.tsx'
import { QUALITY_PLOTS, type QualityPlot, summaryOf, timesOf } from './quality.ts'
import type { MemberQuality } from './session-queries.ts'
import type { Timeline } from './timeline.ts'

const LABELS: Record<QualityPlot, TextId> = {
  loss: 'dashboard.quality-loss',
  'round-trip': 'dashboard.quality-round-trip',
  jitter: 'dashboard.quality-jitter',
  bitrate: 'dashboard.quality-bitrate',
  'frame-rate': 'dashboard.quality-frame-rate',
}
const PLOTS = Object.keys(QUALITY_PLOTS) as QualityPlot[]

/** How the connection of a member was over time. Not shown where nothing was measured. */
export function QualityCard({
  qualities,
  lanes,
}: { qualities: readonly MemberQuality[] } & Pick<Timeline, 'lanes'>) {
  const [chosen, choose] = useState<string | null>(null)
  const [plot, setPlot] = useState<QualityPlot>('loss')
  const quality = qualities.find(({ member_id }) => member_id === chosen) ?? qualities[0]
  if (!quality) return null
  const nameOf = (id: string) => lanes.find((lane) => lane.id === id)?.name || t('dashboard.somebody')
  return (
    <Card
      title={t('dashboard.quality')}
      aside={
        <div className="grid w-full gap-2 sm:w-96 sm:grid-cols-2">
          <Select
            label={t('dashboard.people')}
            labelHidden
            value={quality.member_id}
            options={qualities.map(({ member_id }) => ({ value: member_id, label: nameOf(member_id) }))}
            onChange={choose}
          />
          <Select
            label={t('dashboard.quality-figure')}
            labelHidden
            value={plot}
            options={PLOTS.map((value) => ({ value, label: t(LABELS[value]) }))}
            onChange={(next) => setPlot(next as QualityPlot)}
          />
        </div>
      }
    >
      <QualityFigures quality={quality} plot={plot} />
    </Card>
  )
}

function QualityFigures({ quality, plot }: { quality: MemberQuality; plot: QualityPlot }) {
  const { up, down, factor } = QUALITY_PLOTS[plot]
  const scaled = (values: readonly (number | null)[]) =>
    values.map((value) => (value === null ? null : value * factor))
  const series = [
    {
      label: down ? t('dashboard.quality-up') : t(LABELS[plot]),
      values: scaled(quality[up]),
      colour: 'accent',
      kind: 'line' as const,
    },
    ...(down
      ? [
          {
            label: t('dashboard.quality-down'),
            values: scaled(quality[down]),
            colour: 'focus',
            kind: 'line' as const,
          },
        ]
      : []),
  ]
  return (
    <>
      <ul className="mb-3 flex flex-wrap gap-x-6 gap-y-1 text-sm text-ink-soft">
        {series.map(({ label, values, colour }) => (
          <li key={label} className="flex items-center gap-2">
            <span
              aria-hidden
              className={`size-2.5 rounded-sm ${colour === 'accent' ? 'bg-accent' : 'bg-focus'}`}
            />
            {inWords(label, values, plot)}
          </li>
        ))}
      </ul>
      <Plot
        times={timesOf(quality)}
        series={series}
        timeFormat={{ hour: 'numeric', minute: '2-digit' }}
        height={180}
      />
    </>
  )
}

function inWords(label: string, values: readonly (number | null)[], plot: QualityPlot): string {
  const summary = summaryOf(values)
  if (!summary) return t('dashboard.quality-nothing', { label })
  return t('dashboard.quality-in-words', {
    label,
    mean: withUnit(summary.mean, plot),
    highest: withUnit(summary.highest, plot),
  })
}

/** A scaled value with its unit. */
function withUnit(value: number, plot: QualityPlot): string {
  const digits = { maximumFractionDigits: value < 10 ? 1 : 0 }
  if (plot === 'loss') return numberText(value / 100, { style: 'percent', ...digits })
  if (plot === 'frame-rate') return numberText(value, digits)
  if (plot === 'bitrate') return numberText(value, { style: 'unit', unit: 'kilobit-per-second', ...digits })
  return numberText(value, { style: 'unit', unit: 'millisecond', ...digits })
}
