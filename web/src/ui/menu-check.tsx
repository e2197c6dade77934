import { Check } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { menuItemClass } from './menu.tsx'

interface MenuCheckProps {
  icon: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
}

/** Something that is on or off, inside a menu. */
export function MenuCheck({ icon, checked, onChange, children }: MenuCheckProps) {
  return (
    <DropdownMenu.CheckboxItem checked={checked} onCheckedChange={onChange} className={menuItemClass}>
      {icon}
      <span className="min-w-0 flex-1">{children}</span>
      <span className="size-4 shrink-0 text-accent">
        <DropdownMenu.ItemIndicator>
          <Check className="size-4" />
        </DropdownMenu.ItemIndicator>
      </span>
    </DropdownMenu.CheckboxItem>
  )
}

/** A line between groups of a menu. */
export function MenuLine() {
  return <DropdownMenu.Separator className="mx-3 my-1 h-px bg-line" />
}
