import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon: ReactNode
  title: string
  /** A heading where the state is all that the page shows. */
  Title?: 'p' | 'h1'
  hint: string
  children?: ReactNode
}

/** Shown in place of an empty list. Says what will be here, and how to create it. */
export function EmptyState({ icon, title, Title = 'p', hint, children }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center px-6 py-10 text-center">
      <div aria-hidden className="mb-4 grid size-12 place-items-center rounded-lg bg-accent-soft text-accent">
        {icon}
      </div>
      <Title className="font-semibold text-ink">{title}</Title>
      <p className="mt-1 max-w-80 text-sm text-ink-soft">{hint}</p>
      {children && <div className="mt-5">{children}</div>}
    </div>
  )
}
