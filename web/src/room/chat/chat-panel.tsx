import { ArrowDown } from 'lucide-react'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import type { Chat } from './chat.ts'
import { chatLines } from './chat-lines.ts'
import { Composer } from './composer.tsx'
import { ChatRow } from './message-row.tsx'
import { useChat } from './use-chat.ts'

/** Nearer to the end than this is at the end, in pixels. */
const NEAR_END = 48

/** The messages of the room, and where one writes. It fills its panel. */
export function ChatPanel({ chat }: { chat: Chat }) {
  const state = useChat(chat)
  const { scroller, isAtEnd, toEnd, noteScroll } = useEnd(state)
  const field = useRef<HTMLTextAreaElement>(null)
  const [takenBack, setTakenBack] = useState(0)
  const lines = useMemo(() => chatLines(state), [state])

  useEffect(() => {
    chat.show(true)
    return () => chat.show(false)
  }, [chat])
  // The keyboard of a phone would cover the messages before they were read.
  useEffect(() => {
    if (window.matchMedia('(pointer: fine)').matches || takenBack > 0) field.current?.focus()
  }, [takenBack])

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="relative flex min-h-0 flex-1 flex-col">
        <div
          ref={scroller}
          onScroll={noteScroll}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
          tabIndex={0}
          role="log"
          aria-label={t('chat.messages')}
          className="-mx-2 min-h-0 flex-1 overflow-y-auto px-2 [overflow-anchor:none]"
        >
          {state.earlier !== null && (
            <Button kind="quiet" size="small" className="w-full" onClick={() => void chat.readEarlier()}>
              {t('chat.earlier')}
            </Button>
          )}
          {lines.length === 0 && <NothingYet isStarting={state.is === 'starting'} />}
          <ul>
            {lines.map((line) => (
              <ChatRow
                key={line.key}
                line={line}
                chat={chat}
                onTakeBack={() => setTakenBack((count) => count + 1)}
              />
            ))}
          </ul>
        </div>
        {!isAtEnd && (
          <Button
            size="small"
            onClick={toEnd}
            className="absolute bottom-2 left-1/2 -translate-x-1/2 shadow-float"
          >
            <ArrowDown aria-hidden className="size-4" />
            {t('chat.newest')}
          </Button>
        )}
      </div>
      {state.is === 'away' && (
        <p role="status" className="mt-2 rounded-md bg-warning-soft px-3 py-2 text-sm text-warning-ink">
          {t('chat.away')}
        </p>
      )}
      <Composer key={takenBack} chat={chat} field={field} onSent={toEnd} />
    </div>
  )
}

function NothingYet({ isStarting }: { isStarting: boolean }) {
  if (isStarting) {
    return (
      <p className="flex items-center justify-center gap-2 py-10 text-sm text-ink-soft">
        <Spinner />
        {t('chat.starting')}
      </p>
    )
  }
  return (
    <div className="px-4 py-10 text-center">
      <p className="font-semibold">{t('chat.empty-title')}</p>
      <p className="mt-1 text-sm text-ink-soft">{t('chat.empty-hint')}</p>
    </div>
  )
}

/** Stays at the end while the person is there, and at the same message while earlier ones come above it. */
function useEnd({ messages, notes, outbox }: ReturnType<typeof useChat>) {
  const scroller = useRef<HTMLDivElement>(null)
  const stays = useRef(true)
  const before = useRef({ first: messages[0]?.id, height: 0 })
  const [isAtEnd, setAtEnd] = useState(true)
  const first = messages[0]?.id

  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the lines
  useLayoutEffect(() => {
    const place = scroller.current
    if (!place) return
    const isEarlier = before.current.first !== undefined && before.current.first !== first
    if (stays.current) place.scrollTop = place.scrollHeight
    else if (isEarlier) place.scrollTop += place.scrollHeight - before.current.height
    before.current = { first, height: place.scrollHeight }
  }, [first, messages, notes, outbox])

  return {
    scroller,
    isAtEnd,
    noteScroll: () => {
      const place = scroller.current
      if (!place) return
      stays.current = place.scrollHeight - place.scrollTop - place.clientHeight < NEAR_END
      setAtEnd(stays.current)
    },
    toEnd: () => {
      stays.current = true
      setAtEnd(true)
      const place = scroller.current
      if (place) place.scrollTop = place.scrollHeight
    },
  }
}
