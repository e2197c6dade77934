import type { ReactNode } from 'react'

/** The name of the product, the same in every language. */
const PRODUCT = 'Parley'

/** The name of the product, with whose dashboard this is below it. */
export function ProductName({ children }: { children: ReactNode }) {
  return (
    <div className="min-w-0">
      <p className="text-sm font-semibold tracking-tight">{PRODUCT}</p>
      {children}
    </div>
  )
}
