import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

export interface SelectOption {
  /** Not empty. */
  value: string
  label: string
}

interface SelectProps {
  label: string
  icon?: ReactNode
  value: string
  options: readonly SelectOption[]
  onChange: (value: string) => void
  disabled?: boolean
  /** Screen readers read the label, but it is not shown. */
  labelHidden?: boolean
}

/**
 * A choice of one option from several. The list is the browser's own: on a phone it is the one of the system, and a
 * guest's page need not load another.
 */
export function Select(props: SelectProps) {
  const { label, icon, value, options, onChange, disabled = false, labelHidden = false } = props
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'mb-1.5 block text-sm font-medium text-ink'}>
        {label}
      </label>
      <div className="relative flex items-center">
        {icon && <span className="pointer-events-none absolute start-3">{icon}</span>}
        <select
          id={id}
          value={value}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value)}
          className={classNames(
            'h-11 w-full cursor-pointer appearance-none truncate rounded-md border border-line-strong bg-surface pe-10 text-base text-ink hover:bg-hover',
            'disabled:pointer-events-none disabled:opacity-60',
            icon ? 'ps-10.5' : 'ps-3',
          )}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} className="bg-raised text-ink">
              {option.label}
            </option>
          ))}
        </select>
        <ChevronDown aria-hidden className="pointer-events-none absolute end-3 size-4.5 text-ink-soft" />
      </div>
    </div>
  )
}
