import { X } from 'lucide-react'
import { Toast } from 'radix-ui'
import { createContext, type ReactNode, use, useCallback, useState } from 'react'

interface Message {
  id: number
  title: string
  hint?: string
}

type Tell = (title: string, hint?: string) => void

const ToastContext = createContext<Tell>(() => {})

/** Shows a short message at the edge of the page for a few seconds. */
export function useToast(): Tell {
  return use(ToastContext)
}

const durationMs = 6_000

export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<readonly Message[]>([])
  const tell = useCallback<Tell>((title, hint) => {
    setMessages((present) => {
      const id = (present.at(-1)?.id ?? 0) + 1
      return [...present.slice(-2), { id, title, ...(hint === undefined ? {} : { hint }) }]
    })
  }, [])
  const forget = (id: number) => setMessages((present) => present.filter((message) => message.id !== id))

  return (
    <ToastContext value={tell}>
      <Toast.Provider duration={durationMs} swipeDirection="up">
        {children}
        {messages.map((message) => (
          <Toast.Root
            key={message.id}
            onOpenChange={(open) => !open && forget(message.id)}
            className="flex items-start gap-3 rounded-md border border-line bg-raised py-3 pr-2 pl-4 text-sm text-ink shadow-float animate-appear"
          >
            <div className="min-w-0 flex-1 py-0.5">
              <Toast.Title className="font-semibold">{message.title}</Toast.Title>
              {message.hint && (
                <Toast.Description className="mt-0.5 text-ink-soft">{message.hint}</Toast.Description>
              )}
            </div>
            <Toast.Close
              aria-label="Dismiss"
              className="inline-flex size-7 shrink-0 items-center justify-center rounded-sm text-ink-soft hover:bg-hover hover:text-ink"
            >
              <X className="size-4" />
            </Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport className="fixed inset-x-3 top-3 z-50 mx-auto flex max-w-sm flex-col gap-2 outline-none" />
      </Toast.Provider>
    </ToastContext>
  )
}
