import type { ReactNode } from 'react'
import { classNames } from '../ui/class-names.ts'
import { Tooltip } from '../ui/tooltip.tsx'

const tones = {
  plain: 'bg-surface text-ink border border-line hover:bg-hover',
  on: 'bg-accent-soft text-accent border border-transparent hover:bg-hover',
  off: 'bg-danger-soft text-danger-ink border border-transparent hover:bg-hover',
  recording: 'bg-danger-soft text-danger-ink border border-transparent hover:bg-hover',
  leave: 'bg-danger text-on-danger border border-transparent hover:bg-danger-strong',
} as const

/** The classes of every element in the row of controls. */
export function controlClass(tone: keyof typeof tones): string {
  return classNames(
    'relative flex h-12 max-w-13 min-w-0 flex-1 flex-col items-center justify-center rounded-lg transition-colors sm:h-15 sm:max-w-20 sm:gap-0.5 sideways:h-11 sideways:w-12',
    tones[tone],
  )
}

interface ControlButtonProps {
  /** What a click does. It is read out, and shown as a tooltip. */
  label: string
  /** One or two words below the icon, if there is space. */
  caption: string
  tone: keyof typeof tones
  pressed?: boolean
  disabled?: boolean
  disabledBecause?: string
  onClick: () => unknown
  children: ReactNode
}

/** One control of the meeting. A disabled control stays reachable, so that it can say why it is disabled. */
export function ControlButton(props: ControlButtonProps) {
  const { label, caption, tone, pressed, disabled = false, disabledBecause, onClick, children } = props
  const hint = disabled && disabledBecause ? disabledBecause : label
  return (
    <Tooltip text={hint}>
      <button
        type="button"
        aria-label={label}
        aria-pressed={pressed}
        aria-disabled={disabled || undefined}
        onClick={() => !disabled && onClick()}
        className={classNames(controlClass(tone), disabled && 'cursor-not-allowed opacity-50')}
      >
        {children}
        <span
          aria-hidden
          className="hidden max-w-full truncate px-1 text-xs font-medium sm:block sideways:hidden"
        >
          {caption}
        </span>
      </button>
    </Tooltip>
  )
}
