import type { ComponentProps } from 'react'
import { EmptyState } from './empty-state.tsx'

/** A page that has nothing but a message. It is read out as soon as it shows. */
export function MessagePage(props: Omit<ComponentProps<typeof EmptyState>, 'Title'>) {
  return (
    <main className="grid min-h-full place-items-center">
      <div role="alert">
        <EmptyState {...props} Title="h1" />
      </div>
    </main>
  )
}
