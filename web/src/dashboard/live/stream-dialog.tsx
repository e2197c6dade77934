import { Radio } from 'lucide-react'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { StreamAddressForm } from '../streams/stream-address-form.tsx'
import type { LiveRoom } from './live-queries.ts'
import { useAct } from './use-act.ts'

/** Sends a running room to an address until its session ends. */
export function StreamDialog({ room, onClose }: { room: LiveRoom; onClose: () => void }) {
  const start = useAct((client, url: string) =>
    answerOf(
      client.POST('/api/dashboard/live_rooms/{id}/streams', {
        params: { path: { id: room.id } },
        body: { url },
      }),
    ),
  )

  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('live.stream-title')}
      description={t('live.unkept')}
    >
      <StreamAddressForm
        isBusy={start.isPending}
        onAddress={(url) =>
          start.mutate(url, { onSuccess: ({ outcome }) => outcome === 'taken' && onClose() })
        }
        action={
          <>
            <Radio aria-hidden className="size-4.5" />
            {t('live.stream-start')}
          </>
        }
      >
        {start.data?.outcome === 'unreachable' && !start.isPending && (
          <Notice tone="danger" title={t('live.stream-refused')} hint={t('live.stream-refused-hint')} />
        )}
      </StreamAddressForm>
    </Dialog>
  )
}
