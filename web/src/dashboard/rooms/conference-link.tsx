import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Copy, ExternalLink, QrCode, RotateCcw } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import type { Conference } from './room-kinds.ts'
import { type ConferenceToken, conferenceTokens } from './room-queries.ts'

const QrPicture = lazy(async () => ({ default: (await import('./qr-picture.tsx')).QrPicture }))

interface ConferenceLinkProps {
  conference: Conference
  token: ConferenceToken
}

/** The link of moderators or guests: to copy, to open, as a QR code; and to make void. */
export function ConferenceLink({ conference, token }: ConferenceLinkProps) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const tell = useToast()
  const [open, setOpen] = useState<'qr' | 'reset' | null>(null)
  const reset = useMutation({
    mutationFn: () =>
      answerOf(
        client.POST('/api/video/conference_tokens/{id}/reset', { params: { path: { id: token.id } } }),
      ),
    onSuccess: async () => {
      setOpen(null)
      tell(t('rooms.link-reset'))
      await queries.invalidateQueries({ queryKey: conferenceTokens(client, conference.id).queryKey })
    },
  })
  const role = roleText(token.name)
  return (
    <li>
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <p className="font-medium">{role}</p>
        <div className="flex">
          <IconButton
            label={t('rooms.copy-link', { role })}
            onClick={() => void navigator.clipboard.writeText(token.url).then(() => tell(t('rooms.copied')))}
          >
            <Copy className="size-4.5" />
          </IconButton>
          <IconButton
            label={t('rooms.open-link', { role })}
            onClick={() => window.open(token.url, '_blank', 'noopener')}
          >
            <ExternalLink className="size-4.5 rtl:-scale-x-100" />
          </IconButton>
          <IconButton label={t('rooms.qr-of', { role })} onClick={() => setOpen('qr')}>
            <QrCode className="size-4.5" />
          </IconButton>
          <IconButton label={t('rooms.reset-link', { role })} onClick={() => setOpen('reset')}>
            <RotateCcw className="size-4.5" />
          </IconButton>
        </div>
      </div>
      <code
        dir="ltr"
        className="mt-1 block rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs break-all select-all"
      >
        {token.url}
      </code>
      {open === 'qr' && (
        <Dialog
          open
          onOpenChange={(isOpen) => !isOpen && setOpen(null)}
          title={t('rooms.qr-of', { role })}
          description={t('rooms.qr-hint')}
        >
          <Suspense fallback={<Skeleton className="mx-auto aspect-square w-full max-w-80" />}>
            <QrPicture text={token.url} label={t('rooms.qr-of', { role })} />
          </Suspense>
        </Dialog>
      )}
      <Confirm
        open={open === 'reset'}
        onOpenChange={(isOpen) => !isOpen && setOpen(null)}
        title={t('rooms.reset-question', { role })}
        description={t('rooms.reset-hint')}
        action={t('rooms.reset')}
        busy={reset.isPending}
        problem={reset.error ? apiErrorText(reset.error) : null}
        onConfirm={() => reset.mutate()}
      />
    </li>
  )
}

function roleText(name: string | null): string {
  if (name === 'moderator') return t('rooms.for-moderators')
  return name === 'guest' ? t('rooms.for-guests') : (name ?? '–')
}
