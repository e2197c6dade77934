import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { answerOf } from '../../api/http.ts'
import { numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'

interface DeleteRecordingsProps {
  ids: readonly string[]
  onClose: () => void
  /** Everything was deleted. */
  onDone?: () => void
}

/** Requests that are under way at one time. */
const AT_ONCE = 4

/** Asks before recordings are deleted, shows how far it is, and says which could not be deleted. */
export function DeleteRecordings({ ids: asked, onClose, onDone }: DeleteRecordingsProps) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  // The list behind it changes while they are deleted.
  const [ids] = useState(asked)
  const [state, setState] = useState<'asking' | 'busy' | 'failed'>('asking')
  const [done, setDone] = useState(0)
  const [failed, setFailed] = useState<readonly string[]>([])

  async function remove(id: string): Promise<boolean> {
    try {
      await answerOf(client.DELETE('/api/video/room_recordings/{id}', { params: { path: { id } } }))
      return true
    } catch (error) {
      // Somebody else was faster.
      return error instanceof ApiError && error.status === 404
    }
  }

  async function removeAll(these: readonly string[]): Promise<void> {
    const left = [...these]
    const refused: string[] = []
    setState('busy')
    setDone(ids.length - these.length)
    const work = async () => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) {
        if (await remove(id)) setDone((count) => count + 1)
        else refused.push(id)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    await queries.invalidateQueries({ queryKey: keys.recordings })
    setFailed(refused)
    if (refused.length > 0) return setState('failed')
    onClose()
    onDone?.()
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && state !== 'busy' && onClose()}
      title={t('recordings.delete-question', { count: ids.length })}
      description={t('recordings.delete-hint')}
    >
      {state === 'busy' && (
        <div className="mb-4" role="status">
          <p className="mb-1.5 text-sm tabular-nums">
            {t('recordings.deleting', { done: numberText(done), all: numberText(ids.length) })}
          </p>
          <progress aria-label={t('recordings.progress')} value={done} max={ids.length} className="w-full" />
        </div>
      )}
      {state === 'failed' && (
        <Notice
          tone="danger"
          className="mb-4"
          title={t('recordings.not-deleted', { count: failed.length })}
          hint={t('recordings.not-deleted-hint', { done: numberText(done) })}
        />
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose} disabled={state === 'busy'}>
          {t('guest.close')}
        </Button>
        <Button
          kind="danger"
          busy={state === 'busy'}
          onClick={() => void removeAll(state === 'failed' ? failed : ids)}
        >
          {state === 'failed' ? t('guest.try-again') : t('recordings.delete-all', { count: ids.length })}
        </Button>
      </div>
    </Dialog>
  )
}
