import { Check } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { menuItemClass } from './menu.tsx'

interface MenuChoiceProps {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
}

/** A choice of one option from several, inside a menu. */
export function MenuChoice({ label, value, options, onChange }: MenuChoiceProps) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      <DropdownMenu.Label className="px-3 pt-2 pb-1 text-xs font-semibold text-ink-soft">
        {label}
      </DropdownMenu.Label>
      {options.map((option) => (
        <DropdownMenu.RadioItem key={option.value} value={option.value} className={menuItemClass}>
          <span className="size-4 text-accent">
            <DropdownMenu.ItemIndicator>
              <Check className="size-4" />
            </DropdownMenu.ItemIndicator>
          </span>
          <span className="min-w-0 truncate">{option.label}</span>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  )
}
