import { Tooltip as Radix } from 'radix-ui'
import { createContext, type ReactElement, type ReactNode, use } from 'react'

const HasProvider = createContext(false)

/**
 * Wrap a screen in it. Then the next tooltip appears without delay when the pointer moves from one to the next.
 */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <HasProvider value={true}>
      <Radix.Provider>{children}</Radix.Provider>
    </HasProvider>
  )
}

/**
 * A short explanation on hover and on keyboard focus. The control must also have its own label. The explanation is the
 * description of the control; it lies outside every landmark, so a screen reader that reads the page in order does not
 * meet it. It weighs 15 kB: the screens before a meeting do without it.
 */
export function Tooltip({ text, children }: { text: string; children: ReactElement }) {
  const tooltip = (
    <Radix.Root delayDuration={350}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-hidden
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-64 rounded-sm bg-ink px-2.5 py-1.5 text-xs font-medium text-canvas shadow-float animate-appear"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
  return use(HasProvider) ? tooltip : <TooltipProvider>{tooltip}</TooltipProvider>
}
