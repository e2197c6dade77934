import { Radio } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { isStreamAddress } from '../../room/streaming/stream-address.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { LiveRoom } from './live-queries.ts'
import { useAct } from './use-act.ts'

/** Sends a running room to an address until its session ends. */
export function StreamDialog({ room, onClose }: { room: LiveRoom; onClose: () => void }) {
  const [address, setAddress] = useState('')
  const [isWrong, setWrong] = useState(false)
  const start = useAct((client, url: string) =>
    answerOf(
      client.POST('/api/dashboard/live_rooms/{id}/streams', {
        params: { path: { id: room.id } },
        body: { url },
      }),
    ),
  )

  function submit(event: FormEvent): void {
    event.preventDefault()
    const url = address.trim()
    setWrong(!isStreamAddress(url))
    if (!isStreamAddress(url)) return
    start.mutate(url, { onSuccess: ({ outcome }) => outcome === 'taken' && onClose() })
  }

  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('live.stream-title')}
      description={t('live.unkept')}
    >
      <form onSubmit={submit} noValidate className="space-y-4">
        <Field
          label={t('live.address')}
          hint={t('live.address-hint')}
          error={isWrong ? t('live.address-wrong') : null}
          type="url"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
        {start.data?.outcome === 'unreachable' && !start.isPending && (
          <Notice tone="danger" title={t('live.stream-refused')} hint={t('live.stream-refused-hint')} />
        )}
        <Button kind="primary" type="submit" busy={start.isPending} className="w-full">
          <Radio aria-hidden className="size-4.5" />
          {t('live.stream-start')}
        </Button>
      </form>
    </Dialog>
  )
}
