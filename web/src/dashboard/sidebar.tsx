import { DoorOpen, LogOut } from 'lucide-react'
import { LanguagePicker } from '../languages/language-picker.tsx'
import { t } from '../languages/texts.ts'
import { routeHref } from '../routes.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Logo } from '../ui/logo.tsx'
import { screenHref } from './addresses.ts'
import { NavigationLink } from './navigation-link.tsx'
import { ProductName } from './product-name.tsx'
import { ProjectName } from './project-name.tsx'
import { useScreens } from './screens.ts'

/** The navigation of wide screens. */
export function Sidebar({ onSignOut }: { onSignOut: () => void }) {
  const screens = useScreens()
  return (
    <header className="sticky top-0 hidden h-dvh flex-col border-e border-line bg-surface px-3 py-4 md:flex">
      <div className="flex items-center gap-3 px-3 pb-5">
        <Logo className="size-8" />
        <ProductName>
          <ProjectName />
        </ProductName>
      </div>
      <nav aria-label={t('dashboard.dashboard')} className="flex-1 space-y-0.5 overflow-y-auto">
        {screens.map(({ path, title, icon }) => (
          <NavigationLink key={path} href={screenHref(path)} icon={icon} title={t(title)} />
        ))}
      </nav>
      <div className="space-y-2 border-t border-line pt-3">
        <NavigationLink
          href={routeHref({ screen: 'lobby', roomName: null })}
          icon={DoorOpen}
          title={t('dashboard.to-rooms')}
        />
        <div className="flex items-center gap-1">
          <LanguagePicker />
          <IconButton label={t('dashboard.sign-out')} onClick={onSignOut}>
            <LogOut className="size-4.5 rtl:-scale-x-100" />
          </IconButton>
        </div>
      </div>
    </header>
  )
}
