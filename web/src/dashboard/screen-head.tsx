import { lazy, type ReactNode, Suspense } from 'react'
import { loadTexts } from '../languages/current-language.ts'
import { useTitle } from '../use-title.ts'

const PageRequests = lazy(async () => {
  const [{ PageRequests }] = await Promise.all([
    import('./page-requests/page-requests.tsx'),
    loadTexts('developers'),
  ])
  return { default: PageRequests }
})

/** The head of a screen: its title, which the tab has too, what can be done, and how a program does it. */
export function ScreenHead({ title, children }: { title: string; children?: ReactNode }) {
  useTitle(title)
  return (
    <div className="mb-6 flex min-h-11 flex-wrap items-center justify-between gap-3">
      <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      <div className="flex flex-wrap items-center gap-2">
        {children}
        <Suspense fallback={null}>
          <PageRequests />
        </Suspense>
      </div>
    </div>
  )
}
