import { DropdownMenu } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement
  align?: 'start' | 'center' | 'end'
  side?: 'top' | 'bottom'
  children: ReactNode
}

export function Menu({ trigger, align = 'end', side = 'bottom', children }: MenuProps) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          side={side}
          sideOffset={8}
          collisionPadding={12}
          className="z-50 max-h-[70dvh] max-w-[calc(100vw-1.5rem)] min-w-52 overflow-y-auto rounded-md border border-line bg-raised p-1 text-ink shadow-float animate-appear"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

export const menuItemClass =
  'flex min-h-10 cursor-pointer items-center gap-2.5 rounded-sm px-3 py-1.5 text-sm outline-none select-none data-highlighted:bg-hover data-disabled:pointer-events-none data-disabled:opacity-50'

interface MenuItemProps {
  icon: ReactNode
  children: ReactNode
  onSelect: () => void
  danger?: boolean
  disabled?: boolean
  /** Whether the menu stays open, for what one does several times. */
  staysOpen?: boolean
}

export function MenuItem({
  icon,
  children,
  onSelect,
  danger = false,
  disabled = false,
  staysOpen = false,
}: MenuItemProps) {
  return (
    <DropdownMenu.Item
      onSelect={(event) => {
        if (staysOpen) event.preventDefault()
        onSelect()
      }}
      disabled={disabled}
      className={classNames(menuItemClass, danger && 'text-danger-ink')}
    >
      {icon}
      {children}
    </DropdownMenu.Item>
  )
}
