import { AlertDialog } from 'radix-ui'
import { t } from '../languages/texts.ts'
import { Button, buttonClass } from './button.tsx'
import { Notice } from './notice.tsx'

interface ConfirmProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** What will be lost, and that this cannot be undone. */
  description: string
  action: string
  /** Label of the button that changes nothing. */
  decline?: string
  /** Set if nothing is lost for good. The action does not look dangerous then. */
  harmless?: boolean
  busy?: boolean
  /** Why the last attempt failed. */
  problem?: { title: string; hint: string } | null
  onConfirm: () => void
}

/** Asks before something is lost. The owner of `onConfirm` closes it once the work is done. */
export function Confirm(props: ConfirmProps) {
  const { open, onOpenChange, title, description, action, busy, problem, onConfirm } = props
  const { decline = t('guest.keep-it'), harmless = false } = props
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-scrim animate-appear" />
        <AlertDialog.Content className="fixed inset-x-4 inset-y-0 z-40 m-auto h-fit max-h-[calc(100dvh-2rem)] max-w-md overflow-y-auto rounded-xl bg-raised p-6 shadow-float animate-appear">
          <AlertDialog.Title className="text-lg font-semibold tracking-tight text-ink">
            {title}
          </AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-ink-soft">{description}</AlertDialog.Description>
          {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} className="mt-4" />}
          <div className="mt-6 flex flex-wrap justify-end gap-2">
            <AlertDialog.Cancel className={buttonClass()}>{decline}</AlertDialog.Cancel>
            <Button kind={harmless ? 'primary' : 'danger'} busy={busy ?? false} onClick={onConfirm}>
              {action}
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
