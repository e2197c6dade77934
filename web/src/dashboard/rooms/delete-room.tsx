import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import { apiErrorText } from '../../api/error-text.ts'
import { t } from '../../languages/texts.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'
import type { RoomKind } from './room-kinds.ts'

interface DeleteRoomProps {
  kind: RoomKind
  room: { id: string; name: string; display_name: string | null }
  onClose: () => void
  onDeleted?: () => void
}

/** Asks before a room or conference is deleted. Somebody else may have deleted it meanwhile, which is as good. */
export function DeleteRoom({ kind, room, onClose, onDeleted }: DeleteRoomProps) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const tell = useToast()
  const remove = useMutation({
    mutationFn: () =>
      kind.remove(client, room.id).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.status === 404)) throw error
      }),
    onSuccess: () => {
      tell(t(kind.texts.deleted))
      onClose()
      onDeleted?.()
      queries.removeQueries({ queryKey: [...keys.rooms, kind.path, 'one', room.id] })
      void queries.invalidateQueries({ queryKey: [...keys.rooms, kind.path, 'list'] })
    },
  })
  return (
    <Confirm
      open
      onOpenChange={(open) => !open && onClose()}
      title={t(kind.texts['delete-question'], { name: room.display_name ?? room.name })}
      description={t('rooms.delete-hint')}
      action={t('rooms.delete')}
      busy={remove.isPending}
      problem={remove.error ? apiErrorText(remove.error) : null}
      onConfirm={() => remove.mutate()}
    />
  )
}
