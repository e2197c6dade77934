import { CalendarClock } from 'lucide-react'
import { EmptyState } from '../ui/empty-state.tsx'
import { useTitle } from '../use-title.ts'

/** The page of a conference. The conference token is in the fragment of the address. */
export function ConferencePage({ name }: { name: string }) {
  useTitle(name)
  return (
    <main className="grid min-h-full place-items-center">
      <EmptyState
        icon={<CalendarClock className="size-6" />}
        title={name}
        hint="Conferences cannot be joined on this page yet."
      />
    </main>
  )
}
