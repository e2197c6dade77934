import { X } from 'lucide-react'
import { Toast } from 'radix-ui'
import { t } from '../languages/texts.ts'

/** A short message at the edge of the page. */
export interface Message {
  id: number
  title: string
  hint?: string
}

const durationMs = 6_000

interface ToastStackProps {
  messages: readonly Message[]
  /** Called when a message was dismissed, or its time is over. */
  onGone: (id: number) => void
}

/** Shows messages for a few seconds each. Screen readers read them. */
export function ToastStack({ messages, onGone }: ToastStackProps) {
  return (
    <Toast.Provider duration={durationMs} swipeDirection="up">
      {messages.map((message) => (
        <Toast.Root
          key={message.id}
          onOpenChange={(open) => !open && onGone(message.id)}
          className="flex items-start gap-3 rounded-md border border-line bg-raised py-3 pe-2 ps-4 text-sm text-ink shadow-float animate-appear"
        >
          <div className="min-w-0 flex-1 py-0.5">
            <Toast.Title className="font-semibold">{message.title}</Toast.Title>
            {message.hint && (
              <Toast.Description className="mt-0.5 text-ink-soft">{message.hint}</Toast.Description>
            )}
          </div>
          <Toast.Close
            aria-label={t('guest.dismiss')}
            className="inline-flex size-7 shrink-0 items-center justify-center rounded-sm text-ink-soft hover:bg-hover hover:text-ink"
          >
            <X className="size-4" />
          </Toast.Close>
        </Toast.Root>
      ))}
      <Toast.Viewport className="fixed inset-x-3 top-3 z-50 mx-auto flex max-w-sm flex-col gap-2 outline-none" />
    </Toast.Provider>
  )
}
