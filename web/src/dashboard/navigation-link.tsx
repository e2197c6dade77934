import type { LucideIcon } from 'lucide-react'
import { Link, useRoute } from 'wouter'
import { classNames } from '../ui/class-names.ts'
import { DASHBOARD } from './addresses.ts'

interface NavigationLinkProps {
  href: string
  icon: LucideIcon
  title: string
  onClick?: () => void
}

/** A line of the navigation. It is marked while its screen, or one below it, is open. */
export function NavigationLink({ href, icon: Icon, title, onClick }: NavigationLinkProps) {
  const isOpen = useIsOpen(href)
  return (
    <Link
      href={href}
      aria-current={isOpen ? 'page' : undefined}
      onClick={onClick}
      className={classNames(
        'flex min-h-10 items-center gap-3 rounded-md px-3 text-sm font-medium transition-colors',
        isOpen ? 'bg-accent-soft text-accent-strong' : 'text-ink-soft hover:bg-hover hover:text-ink',
      )}
    >
      <Icon aria-hidden className="size-4.5 shrink-0" />
      <span className="truncate">{title}</span>
    </Link>
  )
}

/** Whether the screen at this address is open, or one below it. */
export function useIsOpen(href: string): boolean {
  const [isHere] = useRoute(href)
  const [isBelow] = useRoute(`${href}/*`)
  return isHere || (isBelow && href !== DASHBOARD)
}
