import { LoaderCircle } from 'lucide-react'

/** Shows that something is in progress. A text beside it must say what. */
export function Spinner({ className = 'size-4' }: { className?: string }) {
  return <LoaderCircle aria-hidden className={`animate-turn ${className}`} />
}
