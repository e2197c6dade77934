import { DoorOpen, LogOut, Menu as MenuIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { LanguagePicker } from '../languages/language-picker.tsx'
import { t } from '../languages/texts.ts'
import { routeHref } from '../routes.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Logo } from '../ui/logo.tsx'
import { screenHref } from './addresses.ts'
import { NavigationLink, useIsOpen } from './navigation-link.tsx'
import { ProductName } from './product-name.tsx'
import { ProjectName } from './project-name.tsx'
import { useScreens } from './screens.ts'

/** Screens that a thumb reaches at once. The others are behind the button for more. */
const AT_HAND = 4

/** The upper edge of a phone: what this is, and whose. */
export function PhoneBar() {
  return (
    <header className="flex items-center gap-3 border-b border-line bg-surface px-4 py-3 md:hidden">
      <Logo className="size-7" />
      <ProductName>
        <ProjectName />
      </ProductName>
    </header>
  )
}

/** The lower edge of a phone: the screens used most, and a drawer with all others. */
export function PhoneNavigation({ onSignOut }: { onSignOut: () => void }) {
  const screens = useScreens()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <nav
        aria-label={t('dashboard.dashboard')}
        className="fixed inset-x-0 bottom-0 z-30 grid auto-cols-fr grid-flow-col border-t border-line bg-raised pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        {screens.slice(0, AT_HAND).map(({ path, title, icon: Icon }) => (
          <PhoneTab key={path} href={screenHref(path)}>
            <Icon aria-hidden className="size-5" />
            <span className="max-w-full truncate">{t(title)}</span>
          </PhoneTab>
        ))}
        <button type="button" onClick={() => setOpen(true)} className={classNames(tabClass, 'text-ink-soft')}>
          <MenuIcon aria-hidden className="size-5" />
          <span className="max-w-full truncate">{t('dashboard.more')}</span>
        </button>
      </nav>
      <Dialog open={isOpen} onOpenChange={setOpen} title={t('dashboard.dashboard')}>
        <div className="space-y-0.5">
          {screens.map(({ path, title, icon }) => (
            <NavigationLink
              key={path}
              href={screenHref(path)}
              icon={icon}
              title={t(title)}
              onClick={() => setOpen(false)}
            />
          ))}
          <NavigationLink
            href={routeHref({ screen: 'lobby', roomName: null })}
            icon={DoorOpen}
            title={t('dashboard.to-rooms')}
          />
        </div>
        <div className="mt-4 flex flex-wrap items-center justify-between gap-3 border-t border-line pt-4">
          <LanguagePicker />
          <Button onClick={onSignOut}>
            <LogOut aria-hidden className="size-4.5 rtl:-scale-x-100" />
            {t('dashboard.sign-out')}
          </Button>
        </div>
      </Dialog>
    </>
  )
}

const tabClass = 'flex min-w-0 flex-col items-center gap-1 px-1 py-2 text-xs font-medium'

function PhoneTab({ href, children }: { href: string; children: ReactNode }) {
  const isOpen = useIsOpen(href)
  return (
    <Link
      href={href}
      aria-current={isOpen ? 'page' : undefined}
      className={classNames(tabClass, isOpen ? 'text-accent-strong' : 'text-ink-soft')}
    >
      {children}
    </Link>
  )
}
