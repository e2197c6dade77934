import { useQuery } from '@tanstack/react-query'
import { LOG_LEVELS } from '../../../../server/src/resources/log-levels.ts'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { classNames } from '../../ui/class-names.ts'
import { Select } from '../../ui/select.tsx'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { useFilter } from '../use-filter.ts'
import { type LogEntry, type LogLevel, logLines } from './server-queries.ts'
import { useLiveLog } from './use-live-log.ts'

/** The end of the log, as it is written. Newest first. */
export function LogCard() {
  const { client } = useDashboard()
  const [chosen, setLevel] = useFilter('level')
  const level = LOG_LEVELS.find((one) => one === chosen) ?? 'trace'
  const news = useLiveLog()
  const query = useQuery(logLines(client, level))
  return (
    <Card
      title={t('server.log')}
      className="lg:col-span-2"
      aside={
        <Select
          label={t('server.level')}
          labelHidden
          value={level}
          options={LOG_LEVELS.map((value) => ({
            value,
            label: value === 'trace' ? t('server.all-levels') : t('server.from-level', { level: value }),
          }))}
          onChange={(value) => setLevel(value === 'trace' ? '' : value)}
        />
      }
    >
      <Asking query={query} placeholder="h-96">
        {({ data }) => <Lines entries={merged(data, news, level)} />}
      </Asking>
    </Card>
  )
}

function merged(listed: readonly LogEntry[], news: readonly LogEntry[], level: LogLevel): LogEntry[] {
  const newest = Number(listed[0]?.id ?? 0)
  const least = LOG_LEVELS.indexOf(level)
  const added = news.filter((one) => Number(one.id) > newest && LOG_LEVELS.indexOf(one.level) >= least)
  return [...added.toReversed(), ...listed]
}

function Lines({ entries }: { entries: readonly LogEntry[] }) {
  if (entries.length === 0) return <p className="text-sm text-ink-soft">{t('server.no-lines')}</p>
  return (
    <ol
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
      tabIndex={0}
      aria-label={t('server.log')}
      dir="ltr"
      className="max-h-[60dvh] divide-y divide-line overflow-y-auto rounded-md border border-line text-start"
    >
      {entries.map((entry) => (
        <Line key={entry.id} entry={entry} />
      ))}
    </ol>
  )
}

const TONES: Readonly<Partial<Record<LogLevel, string>>> = {
  warn: 'text-warning-ink',
  error: 'text-danger-ink',
  fatal: 'text-danger-ink',
}

function Line({ entry: { time, level, part, message, details } }: { entry: LogEntry }) {
  return (
    <li className="px-3 py-2 font-mono text-xs leading-5">
      <span className="text-ink-soft">
        {time !== null && (
          <time dateTime={time}>{dateText(time, { dateStyle: 'short', timeStyle: 'medium' })}</time>
        )}{' '}
      </span>
      <span className={classNames('font-semibold', TONES[level] ?? 'text-ink-soft')}>{level}</span>{' '}
      {part !== null && <bdi className="text-ink-soft">{part} </bdi>}
      <bdi className="break-words whitespace-pre-wrap">{message}</bdi>
      {details !== null && <span className="block break-all text-ink-soft">{details}</span>}
    </li>
  )
}
