import type { ReactNode } from 'react'
import { classNames } from '../ui/class-names.ts'

interface PreviewToggleProps {
  on: boolean
  label: string
  problem: boolean
  onClick: () => void
  children: ReactNode
}

/** A round switch over the preview. */
export function PreviewToggle({ on, label, problem, onClick, children }: PreviewToggleProps) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className={classNames(
        'group relative grid size-12 place-items-center rounded-full transition-colors',
        on
          ? 'bg-stage-label text-on-stage ring-1 ring-on-stage/25 hover:bg-stage'
          : 'bg-danger text-on-danger hover:bg-danger-strong',
      )}
    >
      {children}
      {problem && (
        <span
          aria-hidden
          className="absolute -top-0.5 -end-0.5 grid size-4.5 place-items-center rounded-full bg-warning-soft text-xs font-bold text-warning-ink"
        >
          !
        </span>
      )}
      <span
        aria-hidden
        className="pointer-events-none absolute bottom-full mb-1.5 hidden rounded-sm bg-ink px-2.5 py-1.5 text-xs font-medium whitespace-nowrap text-canvas shadow-float animate-appear group-hover:block group-focus-visible:block"
      >
        {label}
      </span>
    </button>
  )
}
