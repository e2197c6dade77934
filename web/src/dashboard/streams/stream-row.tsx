import { Link } from 'wouter'
import { useMay } from '../../api/signed-in-access.ts'
import type { TextId } from '../../languages/catalogs.ts'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { classNames } from '../../ui/class-names.ts'
import { screenHref } from '../addresses.ts'
import { StreamMenu } from './stream-menu.tsx'
import type { ListedStream } from './stream-queries.ts'

const LOOKS: Record<ListedStream['status'], string> = {
  live: 'bg-live-soft text-live',
  connecting: 'bg-accent-soft text-accent-strong',
  retrying: 'bg-danger-soft text-danger-ink',
  waiting: 'bg-sunken text-ink-soft',
}

const ERRORS: Record<NonNullable<ListedStream['last_error']>, TextId> = {
  address_refused: 'live.error-address-refused',
  unreachable: 'live.error-unreachable',
  closed: 'live.error-closed',
  stalled: 'live.error-stalled',
}

/** One stream: where it goes, how it is, and what can be done. */
export function StreamRow({ stream }: { stream: ListedStream }) {
  const mayAct = useMay('operate')
  const { room_session_id: session, status, last_error, reconnects } = stream
  const since = stream.live_since ?? stream.retrying_since
  return (
    <li className="flex items-center gap-4 px-4 py-3">
      <div className="min-w-0 flex-1 space-y-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          {session ? (
            <Link
              href={screenHref(`live/${session}`)}
              className="rounded-sm font-medium break-all text-ink underline-offset-4 hover:text-accent hover:underline"
            >
              <bdi>{stream.room_name}</bdi>
            </Link>
          ) : (
            <bdi className="font-medium break-all">{stream.room_name}</bdi>
          )}
          <span className={classNames('rounded-full px-2.5 py-0.5 text-xs font-semibold', LOOKS[status])}>
            {t(`live.status-${status}`)}
          </span>
        </p>
        <p className="text-sm break-all text-ink-soft">
          {stream.destination === null ? (
            t('live.address-kept-back')
          ) : (
            <bdi dir="ltr">{stream.destination}</bdi>
          )}
        </p>
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft">
          <span>{t(stream.kept ? 'live.kept' : 'live.unkept')}</span>
          {since && (
            <span>
              {t('live.since')}{' '}
              <time dateTime={since}>{dateText(since, { dateStyle: 'medium', timeStyle: 'medium' })}</time>
            </span>
          )}
          {reconnects > 0 && <span>{t('live.reconnects-of', { count: reconnects })}</span>}
          {last_error && <span className="text-warning-ink">{t(ERRORS[last_error])}</span>}
        </p>
      </div>
      {mayAct && <StreamMenu stream={stream} />}
    </li>
  )
}
