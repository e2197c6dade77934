import { useMutation, useQueryClient } from '@tanstack/react-query'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'
import type { LiveRoom } from './live-queries.ts'

/** Asks before a session is ended for everybody. */
export function EndRoom({ room, open, onClose }: { room: LiveRoom; open: boolean; onClose: () => void }) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const end = useMutation({
    mutationFn: () =>
      answerOf(client.DELETE('/api/dashboard/live_rooms/{id}', { params: { path: { id: room.id } } })),
    onSuccess: () => {
      onClose()
      return queries.invalidateQueries({ queryKey: keys.live })
    },
  })
  return (
    <Confirm
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('live.end-title')}
      description={t('live.end-hint')}
      action={t('live.end')}
      busy={end.isPending}
      problem={end.error && apiErrorText(end.error)}
      onConfirm={() => end.mutate()}
    />
  )
}
