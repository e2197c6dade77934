import { classNames } from './class-names.ts'

/** Holds the place of something that is on its way. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={classNames('animate-pulse-dot rounded-md bg-hover', className)} />
}
