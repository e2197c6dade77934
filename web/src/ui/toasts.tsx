import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useState } from 'react'
import type { Message } from './toast-stack.tsx'

type Tell = (title: string, hint?: string) => void

const ToastContext = createContext<Tell>(() => {})

/** Shows a short message at the edge of the page for a few seconds. */
export function useToast(): Tell {
  return use(ToastContext)
}

// Green rooms show no messages. The screens that do load this chunk with their own, so that it is there when the
// network is not.
const ToastStack = lazy(async () => ({ default: (await import('./toast-stack.tsx')).ToastStack }))

export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<readonly Message[]>([])
  /** The stack stays once it was needed: a screen reader follows its live region. */
  const [isUsed, setUsed] = useState(false)
  const tell = useCallback<Tell>((title, hint) => {
    setUsed(true)
    setMessages((present) => {
      const id = (present.at(-1)?.id ?? 0) + 1
      return [...present.slice(-2), { id, title, ...(hint === undefined ? {} : { hint }) }]
    })
  }, [])
  const forget = (id: number) => setMessages((present) => present.filter((message) => message.id !== id))

  return (
    <ToastContext value={tell}>
      {children}
      {isUsed && (
        <Suspense fallback={null}>
          <ToastStack messages={messages} onGone={forget} />
        </Suspense>
      )}
    </ToastContext>
  )
}
