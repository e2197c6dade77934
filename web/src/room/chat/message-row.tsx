import { memo } from 'react'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import type { Chat } from './chat.ts'
import type { ChatLine } from './chat-lines.ts'
import type { ChatMessage, OwnText } from './chat-machine.ts'
import { textParts } from './links.ts'
import { noteText } from './note-text.ts'

/** Rows far from what is seen are not laid out: a thousand messages stay as quick as ten. */
const rowClass = '[content-visibility:auto] [contain-intrinsic-size:auto_2.5rem]'

/** A line of the chat. */
export function ChatRow({ line, chat, onTakeBack }: { line: ChatLine; chat: Chat; onTakeBack: () => void }) {
  switch (line.is) {
    case 'message':
      return <MessageRow message={line.message} isOwn={line.isOwn} isFirst={line.isFirst} />
    case 'note':
      return (
        <li className={`${rowClass} py-1.5 text-center text-xs text-ink-soft wrap-anywhere`}>
          {noteText(line.note.what)} · <Time atMs={line.note.atMs} />
        </li>
      )
    case 'own':
      return <OwnRow own={line.own} chat={chat} onTakeBack={onTakeBack} />
  }
}

interface MessageRowProps {
  message: ChatMessage
  isOwn: boolean
  isFirst: boolean
}

const MessageRow = memo(({ message, isOwn, isFirst }: MessageRowProps) => (
  <li className={`${rowClass} ${isFirst ? 'pt-3' : 'pt-1'}`}>
    {isFirst ? (
      <p className="flex items-baseline gap-2">
        <bdi className="min-w-0 truncate text-sm font-semibold">
          {isOwn ? t('chat.you') : message.name || t('chat.somebody')}
        </bdi>
        <span className="shrink-0 text-xs text-ink-soft">
          <Time atMs={message.atMs} />
        </span>
      </p>
    ) : (
      <span className="sr-only">{isOwn ? t('chat.you') : message.name}</span>
    )}
    <MessageText text={message.text} />
  </li>
))

function OwnRow({ own, chat, onTakeBack }: { own: OwnText; chat: Chat; onTakeBack: () => void }) {
  return (
    <li className="pt-3">
      <p className="text-sm font-semibold">{t('chat.you')}</p>
      <MessageText text={own.text} />
      {own.refusal === null ? (
        <p className="text-xs text-ink-soft">{t('chat.sending')}</p>
      ) : (
        <div
          className="mt-1 space-y-1.5 rounded-md bg-danger-soft px-3 py-2 text-sm text-danger-ink"
          role="alert"
        >
          <p>{t(own.refusal)}</p>
          <Button
            size="small"
            onClick={() => {
              chat.drop(own.key)
              chat.draft = chat.draft === '' ? own.text : `${own.text}\n${chat.draft}`
              onTakeBack()
            }}
          >
            {t('chat.take-back')}
          </Button>
        </div>
      )}
    </li>
  )
}

function MessageText({ text }: { text: string }) {
  return (
    <p dir="auto" className="text-sm whitespace-pre-wrap wrap-anywhere">
      {textParts(text).map((part, index) =>
        part.href === null ? (
          part.text
        ) : (
          <a
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never change
            key={index}
            href={part.href}
            target="_blank"
            rel="noopener noreferrer"
            className="text-accent underline underline-offset-2"
          >
            {part.text}
          </a>
        ),
      )}
    </p>
  )
}

function Time({ atMs }: { atMs: number }) {
  return (
    <time dateTime={new Date(atMs).toISOString()} className="tabular-nums">
      {dateText(atMs, { timeStyle: 'short' })}
    </time>
  )
}
