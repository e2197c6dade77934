import { useInfiniteQuery } from '@tanstack/react-query'
import { Clapperboard, Hourglass, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../api/signed-in-access.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { OlderButton } from '../older-button.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { DeleteRecordings } from './delete-recordings.tsx'
import { RecordingFilterBar } from './recording-filter-bar.tsx'
import { foundRecordings } from './recording-queries.ts'
import { RecordingRows } from './recording-rows.tsx'
import { isOver } from './recording-state.ts'
import { RecordingsUse } from './recordings-use.tsx'
import { RetentionDialog } from './retention-dialog.tsx'
import { useRecordingFilters } from './use-recording-filters.ts'

/** Recordings of all rooms, by room, date and state. */
export function RecordingList() {
  const { client } = useDashboard()
  const mayOperate = useMay('operate')
  const { filters, isFiltered, change } = useRecordingFilters()
  const query = useInfiniteQuery(foundRecordings(client, filters))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [dialog, setDialog] = useState<'delete' | 'retention' | null>(null)
  const recordings = query.data?.pages.flatMap((page) => page.data)
  const deletable = recordings?.filter(isOver).map(({ id }) => id) ?? []
  // What is filtered out or gone is not deleted by surprise.
  const ids = deletable.filter((id) => chosen.has(id))
  const areAllChosen = deletable.length > 0 && ids.length === deletable.length

  function choose(id: string, isChosen: boolean): void {
    setChosen(new Set(isChosen ? [...ids, id] : ids.filter((one) => one !== id)))
  }

  return (
    <>
      <ScreenHead title={t('recordings.recordings')}>
        <Button size="small" onClick={() => setDialog('retention')}>
          <Hourglass aria-hidden className="size-4" />
          {t('recordings.retention')}
        </Button>
      </ScreenHead>
      <RecordingsUse />
      <RecordingFilterBar filters={filters} change={change} />
      {mayOperate && deletable.length > 0 && (
        <div className="mb-3 flex min-h-9 flex-wrap items-center gap-2">
          <Button size="small" kind="quiet" onClick={() => setChosen(new Set(areAllChosen ? [] : deletable))}>
            {t(areAllChosen ? 'recordings.choose-none' : 'recordings.choose-all')}
          </Button>
          {ids.length > 0 && (
            <Button size="small" onClick={() => setDialog('delete')}>
              <Trash2 aria-hidden className="size-4" />
              {t('recordings.delete-chosen', { count: ids.length })}
            </Button>
          )}
        </div>
      )}
      <Asking query={{ ...query, data: recordings }} placeholder="h-96">
        {(found) =>
          found.length === 0 && !query.hasNextPage ? (
            <div className="rounded-lg border border-line bg-surface shadow-card">
              <EmptyState
                icon={<Clapperboard className="size-6" />}
                title={t(isFiltered ? 'recordings.none-found' : 'recordings.none')}
                hint={t(isFiltered ? 'recordings.none-found-hint' : 'recordings.none-hint')}
              />
            </div>
          ) : (
            <RecordingRows recordings={found} chosen={mayOperate ? new Set(ids) : null} onChoose={choose} />
          )
        }
      </Asking>
      <OlderButton query={query} label={t('recordings.older')} />
      {dialog === 'delete' && <DeleteRecordings ids={ids} onClose={() => setDialog(null)} />}
      {dialog === 'retention' && <RetentionDialog onClose={() => setDialog(null)} />}
    </>
  )
}
