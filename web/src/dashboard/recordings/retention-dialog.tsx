import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useDeferredValue, useState } from 'react'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { useMay } from '../../api/signed-in-access.ts'
import { t } from '../../languages/texts.ts'
import { sizeText } from '../../recordings/format.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'
import { oldRecordings, retention } from './recording-queries.ts'

const MOST_DAYS = 36_500

/** Shows and changes for how long the project keeps recordings. */
export function RetentionDialog({ onClose }: { onClose: () => void }) {
  const { client } = useDashboard()
  const query = useQuery(retention(client))
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('recordings.retention')}
      description={t('recordings.retention-hint')}
    >
      <Asking query={query} placeholder="h-24">
        {({ days }) => <Rule present={days} onClose={onClose} />}
      </Asking>
    </Dialog>
  )
}

function Rule({ present, onClose }: { present: number | null; onClose: () => void }) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const mayOperate = useMay('operate')
  const [text, setText] = useState(present === null ? '' : String(present))
  const days = text === '' ? null : Number(text)
  const isGood = days === null || (Number.isInteger(days) && days >= 1 && days <= MOST_DAYS)
  const counted = useDeferredValue(isGood ? days : null)
  const { data: old } = useQuery(oldRecordings(client, counted))
  const isKnown = days === null || (old !== undefined && counted === days)
  const save = useMutation({
    mutationFn: () => answerOf(client.PUT('/api/video/recording_retention', { body: { days } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keys.recordings })
      onClose()
    },
  })
  const problem = save.error && apiErrorText(save.error)

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (isGood && isKnown) save.mutate()
  }

  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
      <Field
        label={t('recordings.days')}
        hint={t('recordings.days-hint')}
        error={isGood ? null : t('recordings.days-wrong')}
        value={text}
        inputMode="numeric"
        autoComplete="off"
        disabled={!mayOperate}
        onChange={(event) => setText(event.target.value.trim())}
      />
      {days !== null && old && counted === days && old.recordings > 0 && (
        <Notice
          tone="warning"
          title={t('recordings.would-delete', { count: old.recordings, size: sizeText(old.bytes) })}
          hint={t('recordings.would-delete-hint')}
        />
      )}
      {mayOperate ? (
        <Button
          kind="primary"
          type="submit"
          busy={save.isPending}
          disabled={!isGood || !isKnown}
          className="w-full"
        >
          {days !== null && old && old.recordings > 0
            ? t('recordings.save-and-delete', { count: old.recordings })
            : t('recordings.save')}
        </Button>
      ) : (
        <p className="text-sm text-ink-soft">{t('recordings.operators-only')}</p>
      )}
    </form>
  )
}
