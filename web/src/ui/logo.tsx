/** The logo: two voices side by side. */
export function Logo({ className = 'size-9' }: { className?: string }) {
  return <img src="/favicon.svg" alt="" className={className} />
}
