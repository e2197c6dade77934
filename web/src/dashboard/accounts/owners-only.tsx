import { LockKeyhole } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { t } from '../../languages/texts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'

interface OwnersOnlyProps {
  /** Why the content could not be fetched; null if it could. */
  error: Error | null
  children: ReactNode
}

/** Says who may see the content, in place of a refusal. */
export function OwnersOnly({ error, children }: OwnersOnlyProps) {
  if (!(error instanceof ApiError && error.status === 403)) return children
  return (
    <EmptyState
      icon={<LockKeyhole className="size-6" />}
      title={t('accounts.owners-only')}
      hint={t('accounts.owners-only-hint')}
    />
  )
}
