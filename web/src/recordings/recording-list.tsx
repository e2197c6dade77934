import { Clapperboard } from 'lucide-react'
import { useState } from 'react'
import { apiErrorText } from '../api/error-text.ts'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { RecordingRow } from './recording-row.tsx'
import { useRecordings } from './use-recordings.ts'

/** All recordings of a room. One at a time can be played inside the page. */
export function RecordingList({ roomName }: { roomName: string }) {
  const { recordings, error, reload, hasMore, loadingMore, loadMore } = useRecordings(roomName)
  const [playing, setPlaying] = useState<string | null>(null)

  if (!recordings && !error) {
    return (
      <div role="status" aria-label={t('host.loading-recordings')} className="space-y-2">
        <Skeleton className="h-16" />
        <Skeleton className="h-16" />
      </div>
    )
  }
  const text = error && apiErrorText(error)
  return (
    <div className="space-y-3">
      {text && (
        <Notice tone="danger" title={text.title} hint={text.hint}>
          <Button size="small" onClick={reload}>
            {t('guest.try-again')}
          </Button>
        </Notice>
      )}
      {recordings && recordings.length > 0 && (
        <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line">
          {recordings.map((recording) => (
            <RecordingRow
              key={recording.id}
              roomName={roomName}
              recording={recording}
              playing={playing === recording.id}
              onPlay={(play) => setPlaying(play ? recording.id : null)}
            />
          ))}
        </ul>
      )}
      {recordings?.length === 0 && (
        <div className="rounded-lg border border-dashed border-line">
          <EmptyState
            icon={<Clapperboard className="size-6" />}
            title={t('host.nothing-recorded')}
            hint={t('host.nothing-recorded-hint')}
          />
        </div>
      )}
      {hasMore && (
        <Button kind="quiet" size="small" busy={loadingMore} onClick={loadMore}>
          {t('host.look-further-back')}
        </Button>
      )}
    </div>
  )
}
