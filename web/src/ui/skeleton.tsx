import { classNames } from './class-names.ts'

/** A placeholder for content that is still loading. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={classNames('animate-pulse-dot rounded-md bg-hover', className)} />
}
