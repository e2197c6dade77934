import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Download, Share2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useMay } from '../../api/signed-in-access.ts'
import { clockText, dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { downloadLink } from '../../recordings/download-link.ts'
import { sizeText } from '../../recordings/format.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { screenHref } from '../addresses.ts'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { DeleteRecordings } from './delete-recordings.tsx'
import { MarkedPlayer } from './marked-player.tsx'
import { type FoundRecording, foundRecording } from './recording-queries.ts'
import { isOver, stateText } from './recording-state.ts'
import { ShareDialog } from './share-dialog.tsx'

/** One recording: its player with what happened, download, links for others, deletion. */
export function RecordingScreen({ id }: { id: string }) {
  const { client } = useDashboard()
  const query = useQuery(foundRecording(client, id))
  return (
    <>
      <Link
        href={screenHref('recordings')}
        className="mb-2 inline-flex min-h-9 items-center gap-1.5 rounded-sm text-sm font-medium text-ink-soft hover:text-ink"
      >
        <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
        {t('recordings.all')}
      </Link>
      <ScreenHead title={query.data?.room_name ?? t('recordings.recording')}>
        {query.data && <Actions recording={query.data} />}
      </ScreenHead>
      <Asking query={query} placeholder="h-96">
        {(recording) => (
          <>
            <Facts recording={recording} />
            <MarkedPlayer recording={recording} />
          </>
        )}
      </Asking>
    </>
  )
}

function Facts({ recording }: { recording: FoundRecording }) {
  const { started_at, created_at, duration, size_in_bytes, room_session_id } = recording
  return (
    <p className="-mt-4 mb-6 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft tabular-nums">
      <span>{dateText(started_at ?? created_at, { dateStyle: 'full', timeStyle: 'short' })}</span>
      {duration !== null && <span>{clockText(duration)}</span>}
      {size_in_bytes ? <span>{sizeText(size_in_bytes)}</span> : null}
      <span>{t(stateText(recording))}</span>
      <Link
        href={screenHref(`sessions/${room_session_id}`)}
        className="inline-flex min-h-6 items-center rounded-sm font-medium text-accent hover:underline"
      >
        {t('recordings.to-session')}
      </Link>
    </p>
  )
}

function Actions({ recording }: { recording: FoundRecording }) {
  const mayOperate = useMay('operate')
  const [, go] = useLocation()
  const [dialog, setDialog] = useState<'share' | 'delete' | null>(null)
  const { id, uri, room_name, started_at } = recording
  const name = `${room_name}-${(started_at ?? '').slice(0, 16).replaceAll(':', '')}.mp4`
  return (
    <>
      {uri && (
        <a href={downloadLink(uri)} download={name} className={buttonClass({ size: 'small' })}>
          <Download aria-hidden className="size-4" />
          {t('recordings.download')}
        </a>
      )}
      {uri && mayOperate && (
        <Button size="small" onClick={() => setDialog('share')}>
          <Share2 aria-hidden className="size-4" />
          {t('recordings.share')}
        </Button>
      )}
      {isOver(recording) && mayOperate && (
        <Button size="small" onClick={() => setDialog('delete')}>
          <Trash2 aria-hidden className="size-4" />
          {t('recordings.delete')}
        </Button>
      )}
      {dialog === 'share' && <ShareDialog id={id} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && (
        <DeleteRecordings
          ids={[id]}
          onClose={() => setDialog(null)}
          onDone={() => go(screenHref('recordings'))}
        />
      )}
    </>
  )
}
