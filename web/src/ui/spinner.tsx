import { LoaderCircle } from 'lucide-react'

/** Something is under way. What it is must stand beside it in words. */
export function Spinner({ className = 'size-4' }: { className?: string }) {
  return <LoaderCircle aria-hidden className={`animate-turn ${className}`} />
}
