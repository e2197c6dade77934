import { Copy } from 'lucide-react'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toasts.tsx'

interface ShownOnceProps {
  title: string
  description: string
  /** A link or a token. */
  secret: string
  onClose: () => void
}

/** A secret that nobody can show again. */
export function ShownOnce({ title, description, secret, onClose }: ShownOnceProps) {
  const tell = useToast()
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title} description={description}>
      <code
        dir="ltr"
        className="block rounded-md border border-line bg-sunken px-3 py-2.5 font-mono text-sm break-all text-ink select-all"
      >
        {secret}
      </code>
      <Button
        kind="primary"
        className="mt-5 w-full"
        onClick={() => {
          void navigator.clipboard.writeText(secret).then(() => tell(t('accounts.copied')))
        }}
      >
        <Copy aria-hidden className="size-4.5" />
        {t('accounts.copy')}
      </Button>
    </Dialog>
  )
}
