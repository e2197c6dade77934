import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon: ReactNode
  title: string
  hint: string
  children?: ReactNode
}

/** Shown in place of an empty list. Says what will be here, and how to create it. */
export function EmptyState({ icon, title, hint, children }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center px-6 py-10 text-center">
      <div aria-hidden className="mb-4 grid size-12 place-items-center rounded-lg bg-accent-soft text-accent">
        {icon}
      </div>
      <p className="font-semibold text-ink">{title}</p>
      <p className="mt-1 max-w-80 text-sm text-ink-soft">{hint}</p>
      {children && <div className="mt-5">{children}</div>}
    </div>
  )
}
