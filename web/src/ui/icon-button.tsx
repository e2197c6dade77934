import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Tooltip } from './tooltip.tsx'

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label'> {
  /** Read out, and shown when pointed at. */
  label: string
  children: ReactNode
}

/** A small button that shows an icon only. */
export function IconButton({ label, className, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        className={classNames(
          'inline-flex size-10 shrink-0 items-center justify-center rounded-md text-ink-soft transition-colors',
          'hover:bg-hover hover:text-ink disabled:pointer-events-none disabled:opacity-50',
          className,
        )}
      >
        {children}
      </button>
    </Tooltip>
  )
}
