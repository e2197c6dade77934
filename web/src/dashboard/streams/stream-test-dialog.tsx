import type { Resources } from '@parley/api-client'
import { useMutation } from '@tanstack/react-query'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { StreamAddressForm } from './stream-address-form.tsx'

type Result = Resources['StreamTestResult']

/** Sends a test picture to an address, and says what became of it. */
export function StreamTestDialog({ onClose }: { onClose: () => void }) {
  const { client } = useDashboard()
  const test = useMutation({
    mutationFn: (url: string) => answerOf(client.POST('/api/dashboard/stream_tests', { body: { url } })),
  })

  const problem = test.error && apiErrorText(test.error)
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('live.test')}
      description={t('live.test-hint')}
    >
      <StreamAddressForm onAddress={test.mutate} isBusy={test.isPending} action={t('live.test-send')}>
        {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
        {test.data && !test.isPending && <Outcome result={test.data} />}
      </StreamAddressForm>
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
