import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApi } from '../api/api-context.tsx'
import { ApiError } from '../api/api-error.ts'
import { apiErrorText } from '../api/error-text.ts'
import type { Quality } from '../api/resources.ts'
import { MarkedText } from '../languages/marked-text.tsx'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Switch } from '../ui/switch.tsx'
import { emptyRoomForm, newRoomFrom, roomNameFrom, titleProblem } from './room-form.ts'

interface CreateRoomDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** What gets the focus afterwards; null for what had it before. */
  focusAfter: () => HTMLElement | null
  /** Called with the new room's name. */
  onCreated: (roomName: string) => void
}

export function CreateRoomDialog({ open, onOpenChange, focusAfter, onCreated }: CreateRoomDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} focusAfter={focusAfter} title={t('host.new-room')}>
      <CreateRoomForm onCreated={onCreated} />
    </Dialog>
  )
}

function CreateRoomForm({ onCreated }: { onCreated: (roomName: string) => void }) {
  const api = useApi()
  const queries = useQueryClient()
  const [form, setForm] = useState(emptyRoomForm)
  const [showProblem, setShowProblem] = useState(false)
  const create = useMutation({
    mutationFn: () => api.createRoom(newRoomFrom(form)),
    onSuccess: async (room) => {
      await queries.invalidateQueries({ queryKey: ['rooms'] })
      onCreated(room.name)
    },
  })

  const problem = titleProblem(form.title)
  const refusal = refusalOf(create.error)
  const name = roomNameFrom(form.title)

  function submit(event: FormEvent): void {
    event.preventDefault()
    setShowProblem(true)
    if (!problem) create.mutate()
  }

  return (
    <form onSubmit={submit} noValidate className="space-y-5">
      {refusal.form && <Notice tone="danger" title={refusal.form.title} hint={refusal.form.hint} />}
      <Field
        label={t('host.room-name')}
        value={form.title}
        onChange={(event) => {
          create.reset()
          setForm({ ...form, title: event.target.value })
        }}
        error={(showProblem ? problem : null) ?? refusal.name}
        hint={
          name && name !== form.title.trim() ? (
            <MarkedText
              id="host.room-name-for-clients"
              values={{ name: <bdi className="font-mono text-ink">{name}</bdi> }}
            />
          ) : (
            t('host.room-name-example')
          )
        }
        autoComplete="off"
        autoFocus
      />
      <Choice<Quality>
        label={t('host.picture')}
        value={form.quality}
        onChange={(quality) => setForm({ ...form, quality })}
        options={[
          { value: '720p', label: '720p' },
          { value: '1080p', label: '1080p' },
        ]}
      />
      <Switch
        label={t('host.record-every-session')}
        hint={t('host.record-every-session-hint')}
        checked={form.recordOnStart}
        onChange={(recordOnStart) => setForm({ ...form, recordOnStart })}
      />
      <Button kind="primary" type="submit" busy={create.isPending} className="w-full">
        {t('host.create-room')}
      </Button>
    </form>
  )
}

/** Decides where to show the server's refusal: at the name if it is about the name, else above the form. */
function refusalOf(error: Error | null) {
  if (!error) return { name: null, form: null }
  if (error instanceof ApiError && error.about('name')) {
    const taken = error.entries.some((entry) => entry.code === 'not_unique_within_project')
    return { name: taken ? t('host.room-name-taken') : error.about('name'), form: null }
  }
  return { name: null, form: apiErrorText(error) }
}
