import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import { Spinner } from './spinner.tsx'

const kinds = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong font-semibold',
  secondary: 'bg-surface text-ink border border-line-strong hover:bg-hover font-medium',
  quiet: 'text-ink-soft hover:bg-hover hover:text-ink font-medium',
  danger: 'bg-danger text-on-danger hover:bg-danger-strong font-semibold',
} as const

const sizes = {
  small: 'h-9 px-3 text-sm gap-1.5',
  medium: 'h-11 px-4 text-base gap-2',
  large: 'h-13 px-6 text-base gap-2.5',
} as const

export interface ButtonLook {
  kind?: keyof typeof kinds
  size?: keyof typeof sizes
}

/** The classes of a button, for links that look like one. */
export function buttonClass({ kind = 'secondary', size = 'medium' }: ButtonLook = {}): string {
  return classNames(
    'inline-flex shrink-0 items-center justify-center rounded-md whitespace-nowrap transition-colors select-none',
    'disabled:opacity-55 disabled:pointer-events-none',
    kinds[kind],
    sizes[size],
  )
}

interface ButtonProps extends ComponentProps<'button'>, ButtonLook {
  /** Shows that the work is in progress, and ignores clicks. */
  busy?: boolean
}

export function Button({ kind, size, busy = false, className, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={classNames(buttonClass({ ...(kind && { kind }), ...(size && { size }) }), className)}
    >
      {busy && <Spinner />}
      {children}
    </button>
  )
}
