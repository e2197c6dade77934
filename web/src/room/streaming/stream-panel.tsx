import { Radio, Square } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import type { Meeting } from '../meeting.ts'
import type { MeetingState } from '../meeting-state.ts'
import { isStreamAddress } from './stream-address.ts'

/** A field for an address to stream to, and the end of what is streamed. */
export function StreamPanel({ meeting: { media }, state }: { meeting: Meeting; state: MeetingState }) {
  const [address, setAddress] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    const isOne = isStreamAddress(address.trim())
    setProblem(isOne ? null : t('panels.stream-wrong'))
    if (!isOne || busy) return
    setBusy(true)
    if (await media.startStream(address.trim())) setAddress('')
    setBusy(false)
  }

  return (
    <div className="space-y-4">
      <form onSubmit={(event) => void submit(event)} noValidate className="space-y-3">
        <Field
          label={t('panels.stream-address')}
          hint={t('panels.stream-hint')}
          type="url"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
          error={problem}
        />
        <Button kind="primary" type="submit" busy={busy} className="w-full">
          <Radio aria-hidden className="size-4.5" />
          {t('panels.stream-start')}
        </Button>
      </form>
      {state.streaming && (
        <Button className="w-full" onClick={() => void media.stopStreams()}>
          <Square aria-hidden className="size-4 fill-current" />
          {t('panels.stream-stop')}
        </Button>
      )}
    </div>
  )
}
