import { Tooltip as Radix } from 'radix-ui'
import type { ReactElement } from 'react'

/**
 * Wrap the page in it once. Then the next tooltip appears without delay when the pointer moves from one to the next.
 */
export const TooltipProvider = Radix.Provider

/** A short explanation on hover and on keyboard focus. The control must also have its own label. */
export function Tooltip({ text, children }: { text: string; children: ReactElement }) {
  return (
    <Radix.Root delayDuration={350}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-64 rounded-sm bg-ink px-2.5 py-1.5 text-xs font-medium text-canvas shadow-float animate-appear"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
