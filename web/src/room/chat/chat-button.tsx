import { MessageSquare } from 'lucide-react'
import { numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { ControlButton } from '../control-button.tsx'
import type { Chat } from './chat.ts'
import { useChat } from './use-chat.ts'

interface ChatButtonProps {
  chat: Chat
  isShown: boolean
  onToggle: () => void
}

/** Opens and closes the chat, and says how much is unread. It is absent in rooms without chat. */
export function ChatButton({ chat, isShown, onToggle }: ChatButtonProps) {
  const { is, unread } = useChat(chat)
  if (is === 'off') return null
  const label = t(isShown ? 'chat.hide' : 'chat.show')
  return (
    <ControlButton
      label={unread > 0 ? `${label}, ${t('chat.unread', { count: unread })}` : label}
      caption={t('chat.title')}
      tone={isShown ? 'on' : 'plain'}
      pressed={isShown}
      onClick={onToggle}
    >
      <MessageSquare className="size-5" />
      {unread > 0 && (
        <span
          aria-hidden
          className="absolute -end-1.5 -top-1.5 grid h-5 min-w-5 place-items-center rounded-full bg-accent px-1 text-xs font-semibold text-on-accent"
        >
          {unread > 99 ? `${numberText(99)}+` : numberText(unread)}
        </span>
      )}
    </ControlButton>
  )
}
