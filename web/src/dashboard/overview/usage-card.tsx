import { useQuery } from '@tanstack/react-query'
import { dateText, numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Choice } from '../../ui/choice.tsx'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { type Period, type Usage, usage } from '../dashboard-queries.ts'
import { Plot } from '../plot.tsx'
import { useFilter } from '../use-filter.ts'
import { seriesOf, totalsOf } from './usage-series.ts'

/** Minutes of the last day or month, as numbers and as a plot. */
export function UsageCard() {
  const { client } = useDashboard()
  const [chosen, choose] = useFilter('period')
  const period: Period = chosen === 'month' ? 'month' : 'day'
  const query = useQuery(usage(client, period))
  return (
    <Card
      title={t('dashboard.usage')}
      aside={
        <Choice
          label={t('dashboard.period')}
          labelHidden
          value={period}
          options={[
            { value: 'day', label: t('dashboard.last-day') },
            { value: 'month', label: t('dashboard.last-month') },
          ]}
          onChange={(next) => choose(next === 'day' ? '' : next)}
        />
      }
    >
      <Asking query={query} placeholder="h-72">
        {(found) => <UsageFigures usage={found} period={period} />}
      </Asking>
    </Card>
  )
}

function UsageFigures({ usage, period }: { usage: Usage; period: Period }) {
  const totals = totalsOf(usage)
  const series = seriesOf(usage, period === 'month')
  const timeFormat: Intl.DateTimeFormatOptions =
    period === 'month' ? { day: 'numeric', month: 'short' } : { hour: 'numeric', minute: '2-digit' }
  const plotted = [
    { label: t('dashboard.member-minutes'), values: series.members, colour: 'accent', kind: 'bars' },
    { label: t('dashboard.recorded-minutes'), values: series.recorded, colour: 'danger', kind: 'line' },
    { label: t('dashboard.streamed-minutes'), values: series.streamed, colour: 'focus', kind: 'line' },
  ] as const
  return (
    <>
      <dl className="mb-5 grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-4">
        <Total label={t('dashboard.member-minutes')} mark="bg-accent" value={minutesText(totals.members)} />
        <Total
          label={t('dashboard.recorded-minutes')}
          mark="bg-danger"
          value={minutesText(totals.recorded)}
        />
        <Total label={t('dashboard.streamed-minutes')} mark="bg-focus" value={minutesText(totals.streamed)} />
        <Total label={t('dashboard.cost')} value={dollarsText(totals.dollars)} />
      </dl>
      <Plot times={series.times} series={plotted} timeFormat={timeFormat} />
      {/* A table itself would not shrink, and make the page wider. */}
      <div className="sr-only">
        <table>
          <caption>{t('dashboard.usage')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('dashboard.time')}</th>
              {plotted.map(({ label }) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {series.times.map((time, index) => (
              <tr key={time}>
                <th scope="row">{dateText(time * 1000, timeFormat)}</th>
                {plotted.map(({ label, values }) => (
                  <td key={label}>{minutesText(values[index] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function Total({ label, mark, value }: { label: string; mark?: string; value: string }) {
  return (
    <div className="flex flex-col-reverse justify-end">
      <dd className="text-lg font-semibold tabular-nums">{value}</dd>
      <dt className="flex items-center gap-2 text-sm text-ink-soft">
        {mark && <span aria-hidden className={`size-2.5 shrink-0 rounded-sm ${mark}`} />}
        <span className="truncate">{label}</span>
      </dt>
    </div>
  )
}

const minutesText = (minutes: number) => numberText(minutes, { maximumFractionDigits: minutes < 10 ? 1 : 0 })
const dollarsText = (dollars: number) =>
  numberText(dollars, { style: 'currency', currency: 'USD', maximumFractionDigits: dollars < 1 ? 4 : 2 })
