import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { Button } from '../ui/button.tsx'

interface OlderButtonProps {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
  label: string
}

/** Reads the next page of a list. Not shown at its end. */
export function OlderButton({ query, label }: OlderButtonProps) {
  if (!query.hasNextPage) return null
  return (
    <Button
      className="mt-4 w-full"
      kind="quiet"
      busy={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {label}
    </Button>
  )
}
