import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import { type ReactNode, useId } from 'react'

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
  placeholder?: string
  /** Screen readers read the label, but it is not shown. */
  labelHidden?: boolean
}

/** A choice of one option from several. */
export function Select(props: SelectProps) {
  const { label, icon, value, options, onChange, disabled, placeholder, labelHidden = false } = props
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'mb-1.5 block text-sm font-medium text-ink'}>
        {label}
      </label>
      <Radix.Root value={value} onValueChange={onChange} disabled={disabled ?? false}>
        <Radix.Trigger
          id={id}
          className="flex h-11 w-full items-center gap-2.5 rounded-md border border-line-strong bg-surface px-3 text-left text-base text-ink hover:bg-hover disabled:pointer-events-none disabled:opacity-60"
        >
          {icon}
          <span className="min-w-0 flex-1 truncate">
            <Radix.Value placeholder={placeholder} />
          </span>
          <Radix.Icon className="text-ink-soft">
            <ChevronDown className="size-4.5" />
          </Radix.Icon>
        </Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            position="popper"
            sideOffset={6}
            className="z-50 max-h-72 min-w-(--radix-select-trigger-width) max-w-[calc(100vw-1.5rem)] overflow-hidden rounded-md border border-line bg-raised p-1 shadow-float animate-appear"
          >
            <Radix.Viewport>
              {options.map((option) => (
                <Radix.Item
                  key={option.value}
                  value={option.value}
                  className="flex min-h-10 cursor-pointer items-center gap-2 rounded-sm py-1.5 pr-3 pl-8 text-sm text-ink outline-none select-none data-highlighted:bg-hover relative"
                >
                  <Radix.ItemIndicator className="absolute left-2 text-accent">
                    <Check className="size-4" />
                  </Radix.ItemIndicator>
                  <Radix.ItemText>{option.label}</Radix.ItemText>
                </Radix.Item>
              ))}
            </Radix.Viewport>
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </div>
  )
}
