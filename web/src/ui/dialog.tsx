import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { t } from '../languages/texts.ts'
import { classNames } from './class-names.ts'

interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: string
  /** What gets the focus afterwards. By default, and for null, what had it before. */
  focusAfter?: () => HTMLElement | null
  /** Whether its content fills it, and scrolls by itself: on a phone it is nearly as high as the screen. */
  fills?: boolean
  children: ReactNode
}

/** A window above the page. On a phone it appears at the bottom edge. */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, focusAfter, fills = false, children } = props
  const before = useRef<Element | null>(null)
  // The content mounts after this, and takes the focus.
  useLayoutEffect(() => {
    if (open) before.current = document.activeElement
  }, [open])

  function giveFocus(event: Event): void {
    // Radix would give it to a trigger, which this dialogue does not have.
    event.preventDefault()
    const next = focusAfter?.() ?? before.current
    if (next instanceof HTMLElement) next.focus()
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('main')?.focus()
  }

  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-scrim animate-appear" />
        <Radix.Content
          onCloseAutoFocus={giveFocus}
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={classNames(
            'fixed inset-x-0 bottom-0 z-40 rounded-t-xl bg-raised p-6 pb-[max(1.5rem,env(safe-area-inset-bottom))] shadow-float animate-appear sm:inset-0 sm:m-auto sm:w-full sm:max-w-md sm:rounded-xl',
            fills
              ? 'flex h-[92dvh] flex-col sm:h-[min(92dvh,44rem)]'
              : 'max-h-[92dvh] overflow-y-auto sm:h-fit',
          )}
        >
          <div className="mb-5 flex shrink-0 items-start justify-between gap-4">
            <div>
              <Radix.Title className="text-lg font-semibold tracking-tight text-ink">{title}</Radix.Title>
              {description && (
                <Radix.Description className="mt-1 text-sm text-ink-soft">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close
              aria-label={t('guest.close')}
              className="-m-2 inline-flex size-10 shrink-0 items-center justify-center rounded-md text-ink-soft hover:bg-hover hover:text-ink"
            >
              <X className="size-5" />
            </Radix.Close>
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
