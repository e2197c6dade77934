import { X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { IconButton } from '../ui/icon-button.tsx'

interface PanelProps {
  title: string
  /** Whether there is space for it beside the picture. If not, it covers the picture. */
  beside: boolean
  onClose: () => void
  children: ReactNode
}

/** A part of the room that is shown on request: people, layouts, what plays. Escape closes it. */
export function Panel({ title, beside, onClose, children }: PanelProps) {
  if (beside) {
    return (
      <SidePanel title={title} onClose={onClose}>
        {children}
      </SidePanel>
    )
  }
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title}>
      {children}
    </Dialog>
  )
}

/** Gets the focus when it opens, and gives it back when it closes. */
function SidePanel({ title, onClose, children }: Omit<PanelProps, 'beside'>) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
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
      className="w-80 shrink-0 overflow-y-auto rounded-xl border border-line bg-surface p-4"
    >
      <div className="mb-3 flex items-center justify-between gap-2">
        <h2 className="font-semibold tracking-tight">{title}</h2>
        <IconButton label={`Close ${title}`} onClick={onClose} className="-my-1 -mr-1 size-9">
          <X className="size-4.5" />
        </IconButton>
      </div>
      {children}
    </aside>
  )
}
