import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Tooltip } from './tooltip.tsx'

const tones = {
  quiet: 'text-ink-soft hover:bg-hover hover:text-ink',
  accent: 'bg-accent-soft text-accent hover:bg-accent hover:text-on-accent',
} as const

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label'> {
  /** It is read out, and shown as a tooltip. */
  label: string
  tone?: keyof typeof tones
  children: ReactNode
}

/** A small button with only an icon. */
export function IconButton({ label, tone = 'quiet', className, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        className={classNames(
          'inline-flex shrink-0 items-center justify-center rounded-md transition-colors',
          'disabled:pointer-events-none disabled:opacity-50',
          tones[tone],
          className ?? 'size-10',
        )}
      >
        {children}
      </button>
    </Tooltip>
  )
}
