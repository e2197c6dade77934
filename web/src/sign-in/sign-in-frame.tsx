import type { ReactNode } from 'react'
import { LanguagePicker } from '../languages/language-picker.tsx'
import { Logo } from '../ui/logo.tsx'

interface SignInFrameProps {
  title: string
  hint: string
  children: ReactNode
}

/** A narrow page with one form. */
export function SignInFrame({ title, hint, children }: SignInFrameProps) {
  return (
    <main className="grid min-h-full place-items-center px-5 py-10">
      <div className="w-full max-w-sm">
        <div className="mb-6 flex items-center justify-between">
          <Logo className="size-12" />
          <LanguagePicker />
        </div>
        <h1 className="text-2xl font-semibold tracking-tight break-words">{title}</h1>
        <p className="mt-2 text-ink-soft">{hint}</p>
        {children}
      </div>
    </main>
  )
}
