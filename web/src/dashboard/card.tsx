import { type ReactNode, useId } from 'react'
import { classNames } from '../ui/class-names.ts'

interface CardProps {
  title: string
  /** Beside the title: a choice, or a link to more. */
  aside?: ReactNode
  className?: string
  children: ReactNode
}

/** A part of a screen. */
export function Card({ title, aside, className, children }: CardProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className={classNames('min-w-0 rounded-lg border border-line bg-surface p-5 shadow-card', className)}
    >
      <div className="mb-4 flex min-h-9 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id={id} className="font-semibold tracking-tight">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
