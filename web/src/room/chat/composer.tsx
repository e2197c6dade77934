import { SendHorizontal } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, type Ref, useId, useState } from 'react'
import { t } from '../../languages/texts.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import type { Chat } from './chat.ts'
import { excessOf } from './message-length.ts'

interface ComposerProps {
  chat: Chat
  field: Ref<HTMLTextAreaElement>
  onSent: () => void
}

/** Where the person writes. Enter sends; with Shift, or on a keyboard of glass, it begins a new line. */
export function Composer({ chat, field, onSent }: ComposerProps) {
  const [text, setText] = useState(chat.draft)
  const noteId = useId()
  const excess = excessOf(text.trim())
  const canSend = text.trim() !== '' && excess === 0

  function change(next: string): void {
    chat.draft = next
    setText(next)
  }

  function send(event?: FormEvent): void {
    event?.preventDefault()
    if (!canSend) return
    chat.write(text.trim())
    change('')
    onSent()
  }

  function pressed(event: KeyboardEvent): void {
    const isGlass = window.matchMedia('(pointer: coarse)').matches
    // While a word is composed from several keys, Enter ends it.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || isGlass) return
    event.preventDefault()
    send()
  }

  return (
    <form onSubmit={send} className="shrink-0 pt-2">
      {excess > 0 && (
        <p id={noteId} role="status" className="pb-2 text-sm text-danger-ink">
          {t('chat.too-long', { count: excess })}
        </p>
      )}
      <div className="flex items-end gap-1.5 rounded-md border border-line-strong bg-surface ps-1 focus-within:outline-2 focus-within:outline-focus">
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label={t('chat.write')}
          placeholder={t('chat.write')}
          value={text}
          onChange={(event) => change(event.target.value)}
          onKeyDown={pressed}
          aria-invalid={excess > 0 || undefined}
          aria-describedby={excess > 0 ? noteId : undefined}
          enterKeyHint="send"
          className="field-sizing-content max-h-32 min-h-11 min-w-0 flex-1 resize-none bg-transparent px-2 py-2.5 text-base outline-none placeholder:text-ink-soft"
        />
        <IconButton
          type="submit"
          label={t('chat.send')}
          disabled={!canSend}
          className="m-0.5 size-10 text-accent"
        >
          <SendHorizontal className="size-5 rtl:-scale-x-100" />
        </IconButton>
      </div>
    </form>
  )
}
