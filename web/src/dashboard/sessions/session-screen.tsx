import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Download } from 'lucide-react'
import { Link } from 'wouter'
import { clockText, dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { LiveBadge } from '../../lobby/live-badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { screenHref } from '../addresses.ts'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { eventsCsv, qualityCsv, saveFile, sessionJson } from './session-export.ts'
import { type WholeSession, wholeSession } from './session-queries.ts'
import { SessionStory } from './session-story.tsx'

/** One session: who was there when, what happened, and its recordings. */
export function SessionScreen({ id }: { id: string }) {
  const { client } = useDashboard()
  const query = useQuery(wholeSession(client, id))
  const session = query.data?.session
  return (
    <>
      <Link
        href={screenHref('sessions')}
        className="mb-2 inline-flex min-h-9 items-center gap-1.5 rounded-sm text-sm font-medium text-ink-soft hover:text-ink"
      >
        <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
        {t('dashboard.all-sessions')}
      </Link>
      <ScreenHead title={session?.name ?? t('dashboard.session')}>
        {query.data && <ExportMenu whole={query.data} />}
      </ScreenHead>
      <Asking query={query} placeholder="h-96">
        {(whole) => (
          <>
            <Facts whole={whole} />
            <SessionStory whole={whole} />
          </>
        )}
      </Asking>
    </>
  )
}

function Facts({ whole: { session } }: { whole: WholeSession }) {
  const started = session.start_time ?? session.created_at
  return (
    <p className="-mt-4 mb-6 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
      {session.status === 'in-progress' && <LiveBadge />}
      <time dateTime={started}>{dateText(started, { dateStyle: 'full', timeStyle: 'short' })}</time>
      {session.duration !== null && <span className="tabular-nums">{clockText(session.duration)}</span>}
      <span>{session.quality}</span>
    </p>
  )
}

function ExportMenu({ whole }: { whole: WholeSession }) {
  const name = `${whole.session.name}-${(whole.session.start_time ?? '').slice(0, 16).replaceAll(':', '')}`
  return (
    <Menu
      trigger={
        <Button size="small">
          <Download aria-hidden className="size-4" />
          {t('dashboard.export')}
        </Button>
      }
    >
      <MenuItem
        icon={<Download className="size-4" />}
        onSelect={() => saveFile(`${name}.json`, 'application/json', sessionJson(whole))}
      >
        {t('dashboard.export-json')}
      </MenuItem>
      <MenuItem
        icon={<Download className="size-4" />}
        onSelect={() => saveFile(`${name}.csv`, 'text/csv', eventsCsv(whole))}
      >
        {t('dashboard.export-csv')}
      </MenuItem>
      {whole.qualities.length > 0 && (
        <MenuItem
          icon={<Download className="size-4" />}
          onSelect={() => saveFile(`${name}-connections.csv`, 'text/csv', qualityCsv(whole))}
        >
          {t('dashboard.export-quality')}
        </MenuItem>
      )}
    </Menu>
  )
}
