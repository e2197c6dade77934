/** The mark: two voices, one beside the other. */
export function Logo({ className = 'size-9' }: { className?: string }) {
  return <img src="/favicon.svg" alt="" className={className} />
}
