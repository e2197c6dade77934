import type { Resources } from '@parley/api-client'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { isStreamAddress } from '../../room/streaming/stream-address.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useDashboard } from '../dashboard-context.tsx'

type Result = Resources['StreamTestResult']

/** Sends a test picture to an address, and says what became of it. */
export function StreamTestDialog({ onClose }: { onClose: () => void }) {
  const { client } = useDashboard()
  const [address, setAddress] = useState('')
  const [isWrong, setWrong] = useState(false)
  const test = useMutation({
    mutationFn: (url: string) => answerOf(client.POST('/api/dashboard/stream_tests', { body: { url } })),
  })

  function submit(event: FormEvent): void {
    event.preventDefault()
    const url = address.trim()
    setWrong(!isStreamAddress(url))
    if (isStreamAddress(url)) test.mutate(url)
  }

  const problem = test.error && apiErrorText(test.error)
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('live.test')}
      description={t('live.test-hint')}
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
        {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
        {test.data && !test.isPending && <Outcome result={test.data} />}
        <Button kind="primary" type="submit" busy={test.isPending} className="w-full">
          {t('live.test-send')}
        </Button>
      </form>
    </Dialog>
  )
}

function Outcome({ result: { outcome, published_ms } }: { result: Result }) {
  const seconds = Math.round(published_ms / 1000)
  switch (outcome) {
    case 'taken':
      return <Notice tone="info" title={t('live.test-taken')} hint={t('live.test-taken-hint')} />
    case 'unknown_host':
      return (
        <Notice tone="danger" title={t('live.test-unknown-host')} hint={t('live.test-unknown-host-hint')} />
      )
    case 'unreachable':
      return (
        <Notice tone="danger" title={t('live.error-unreachable')} hint={t('live.test-unreachable-hint')} />
      )
    default:
      return (
        <Notice
          tone="danger"
          title={t(`live.error-${outcome}`)}
          hint={t('live.test-broken-hint', { seconds })}
        />
      )
  }
}
