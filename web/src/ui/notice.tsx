import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

const tones = {
  info: { look: 'bg-accent-soft text-ink', icon: Info },
  warning: { look: 'bg-warning-soft text-warning-ink', icon: TriangleAlert },
  danger: { look: 'bg-danger-soft text-danger-ink', icon: CircleAlert },
} as const

interface NoticeProps {
  tone: keyof typeof tones
  title: string
  /** What the person can do about it. */
  hint?: string
  /** Buttons. */
  children?: ReactNode
  className?: string
}

/** A message inside the page. Screen readers read problems at once. */
export function Notice({ tone, title, hint, children, className }: NoticeProps) {
  const { look, icon: Icon } = tones[tone]
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      className={classNames('flex gap-3 rounded-md px-4 py-3 text-sm animate-appear', look, className)}
    >
      <Icon aria-hidden className="mt-0.25 size-4.5 shrink-0" />
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-6 gap-y-2.5">
        <div className="min-w-48 flex-1">
          <p className="font-semibold">{title}</p>
          {hint && <p className="mt-0.5 break-words">{hint}</p>}
        </div>
        {children && <div className="flex flex-wrap gap-2">{children}</div>}
      </div>
    </div>
  )
}
