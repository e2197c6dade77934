import { Copy } from 'lucide-react'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { useToast } from '../ui/toasts.tsx'

interface CopyButtonProps {
  /** What the button says. */
  label: string
  text: string
}

/** Puts a text into the clipboard, and says so. */
export function CopyButton({ label, text }: CopyButtonProps) {
  const tell = useToast()
  return (
    <Button
      size="small"
      onClick={() => void navigator.clipboard.writeText(text).then(() => tell(t('developers.copied')))}
    >
      <Copy aria-hidden className="size-4" />
      {label}
    </Button>
  )
}
