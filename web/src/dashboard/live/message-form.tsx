import { SendHorizontal } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Card } from '../card.tsx'
import type { LiveRoom } from './live-queries.ts'
import { useAct } from './use-act.ts'

const MAX_LENGTH = 2000

/** Writes into the chat of a running room. */
export function MessageForm({ room }: { room: LiveRoom }) {
  const [text, setText] = useState('')
  const write = useAct((client, message: string) =>
    answerOf(
      client.POST('/api/dashboard/live_rooms/{id}/messages', {
        params: { path: { id: room.id } },
        body: { text: message },
      }),
    ),
  )

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (text.trim() !== '' && !write.isPending) {
      write.mutate(text.trim(), { onSuccess: () => setText('') })
    }
  }

  return (
    <Card title={t('live.message')}>
      {room.has_chat ? (
        <form onSubmit={submit} className="space-y-3">
          <Field
            label={t('live.message-text')}
            hint={t('live.message-hint')}
            dir="auto"
            autoComplete="off"
            maxLength={MAX_LENGTH}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <div className="flex flex-wrap items-center gap-3">
            <Button type="submit" busy={write.isPending} disabled={text.trim() === ''}>
              <SendHorizontal aria-hidden className="size-4.5 rtl:-scale-x-100" />
              {t('live.message-send')}
            </Button>
            <span role="status" className="min-w-0 text-sm break-words text-ink-soft">
              {write.data && t('live.message-sent', { name: write.data.from })}
            </span>
          </div>
        </form>
      ) : (
        <p className="text-sm text-ink-soft">{t('live.no-chat')}</p>
      )}
    </Card>
  )
}
