import { X } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { t } from '../languages/texts.ts'
import { classNames } from '../ui/class-names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { IconButton } from '../ui/icon-button.tsx'

interface PanelProps {
  title: string
  /** Whether there is space for it beside the picture. If not, it covers the picture. */
  beside: boolean
  /** Whether its content fills it, and scrolls by itself. */
  fills?: boolean
  onClose: () => void
  children: ReactNode
}

/** A part of the room that is shown on request: people, layouts, what plays. Escape closes it. */
export function Panel({ title, beside, fills = false, onClose, children }: PanelProps) {
  if (beside) {
    return (
      <SidePanel title={title} fills={fills} onClose={onClose}>
        {children}
      </SidePanel>
    )
  }
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title} fills={fills}>
      {children}
    </Dialog>
  )
}

/** Gets the focus when it opens, and gives it back when it closes. */
function SidePanel({ title, fills, onClose, children }: Omit<PanelProps, 'beside'>) {
  const place = useRef<HTMLElement>(null)
  // Before the effects of its content, which may give the focus to a field.
  useLayoutEffect(() => {
    const before = document.activeElement
    place.current?.focus()
    return () => {
      const isInside =
        place.current?.contains(document.activeElement) || document.activeElement === document.body
      if (isInside && before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <aside
      ref={place}
      tabIndex={-1}
      aria-label={title}
      onKeyDown={(event) => {
        // A menu inside the panel has used the key already.
        if (event.key !== 'Escape' || event.defaultPrevented) return
        // The stage uses the key too.
        event.preventDefault()
        onClose()
      }}
      className={classNames(
        'w-80 shrink-0 rounded-xl border border-line bg-surface p-4',
        fills ? 'flex flex-col' : 'overflow-y-auto',
      )}
    >
      <div className="mb-3 flex items-center justify-between gap-2">
        <h2 className="font-semibold tracking-tight">{title}</h2>
        <IconButton
          label={t('meeting.close-panel', { title })}
          onClick={onClose}
          className="-my-1 -me-1 size-9"
        >
          <X className="size-4.5" />
        </IconButton>
      </div>
      {children}
    </aside>
  )
}
