import { Copy } from 'lucide-react'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { Card } from '../card.tsx'
import { embedCode } from './embed-text.ts'
import type { ConferenceToken } from './room-queries.ts'

/** The three lines by which a page of another site shows the conference. */
export function EmbedCode({ token }: { token: ConferenceToken }) {
  const tell = useToast()
  const code = embedCode(new URL(token.url).origin, token.token)
  return (
    <Card
      title={t('rooms.embed')}
      aside={
        <Button
          size="small"
          onClick={() => void navigator.clipboard.writeText(code).then(() => tell(t('rooms.copied')))}
        >
          <Copy aria-hidden className="size-4" />
          {t('rooms.copy-code')}
        </Button>
      }
    >
      <pre
        dir="ltr"
        data-testid="embed-code"
        className="rounded-md border border-line bg-sunken px-3 py-2.5 font-mono text-xs break-all whitespace-pre-wrap select-all"
      >
        {code}
      </pre>
      <p className="mt-3 text-sm text-ink-soft">{t('rooms.embed-hint')}</p>
    </Card>
  )
}
