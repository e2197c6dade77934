import type { ReactNode } from 'react'
import { useTitle } from '../use-title.ts'

/** The head of a screen: its title, which the tab has too, and what can be done. */
export function ScreenHead({ title, children }: { title: string; children?: ReactNode }) {
  useTitle(title)
  return (
    <div className="mb-6 flex min-h-11 flex-wrap items-center justify-between gap-3">
      <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </div>
  )
}
