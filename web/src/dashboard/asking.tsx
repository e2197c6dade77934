import type { ReactNode } from 'react'
import { apiErrorText } from '../api/error-text.ts'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

interface AskingProps<Data> {
  /** A query of TanStack Query. */
  query: { data: Data | undefined; error: Error | null; refetch: () => unknown }
  /** Classes of the placeholder, such as its height. */
  placeholder: string
  children: (data: Data) => ReactNode
}

/** Shows an answer once it is there; before that a placeholder, or why it does not come. */
export function Asking<Data>({ query: { data, error, refetch }, placeholder, children }: AskingProps<Data>) {
  const text = error && apiErrorText(error)
  return (
    <>
      {text && (
        <Notice tone="danger" title={text.title} hint={text.hint} className="mb-3">
          <Button size="small" onClick={() => refetch()}>
            {t('guest.try-again')}
          </Button>
        </Notice>
      )}
      {data === undefined && !error && (
        <div role="status" aria-label={t('dashboard.loading')}>
          <Skeleton className={placeholder} />
        </div>
      )}
      {data !== undefined && children(data)}
    </>
  )
}
