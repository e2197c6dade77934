import { type ReactNode, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { t } from '../languages/texts.ts'
import { Notice } from '../ui/notice.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { type DashboardAccess, DashboardProvider } from './dashboard-context.tsx'
import { useNews } from './news/use-news.ts'
import { PhoneBar, PhoneNavigation } from './phone-navigation.tsx'
import { SCREENS, screenPattern } from './screens.ts'
import { Sidebar } from './sidebar.tsx'
import { UnknownScreen } from './unknown-screen.tsx'

interface DashboardPageProps extends DashboardAccess {
  onSignOut: () => void
}

/** The dashboard: navigation at the side or at the lower edge, and the screen that the address names. */
export function DashboardPage({ onSignOut, ...access }: DashboardPageProps) {
  const isCurrent = useNews(access)
  return (
    <DashboardProvider value={access}>
      <div className="min-h-full md:grid md:grid-cols-[15rem_minmax(0,1fr)]">
        <Sidebar onSignOut={onSignOut} />
        <div className="flex min-h-full min-w-0 flex-col">
          <PhoneBar />
          <main
            tabIndex={-1}
            className="mx-auto w-full max-w-7xl flex-1 px-4 pt-5 pb-28 outline-none sm:px-8 md:pt-8 md:pb-12"
          >
            {!isCurrent && (
              <Notice
                tone="warning"
                title={t('dashboard.not-current')}
                hint={t('dashboard.not-current-hint')}
                className="mb-5"
              />
            )}
            <Suspense fallback={<Loading />}>
              <Switch>
                {SCREENS.map((screen) => (
                  <Route key={screen.path} path={screenPattern(screen)} component={screen.Screen} />
                ))}
                <Route>
                  <UnknownScreen />
                </Route>
              </Switch>
            </Suspense>
          </main>
          <PhoneNavigation onSignOut={onSignOut} />
        </div>
      </div>
    </DashboardProvider>
  )
}

function Loading(): ReactNode {
  return (
    <div role="status" aria-label={t('dashboard.loading')} className="grid min-h-80 place-items-center">
      <Spinner className="size-6 text-ink-soft" />
    </div>
  )
}
