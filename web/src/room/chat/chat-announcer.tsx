import { t } from '../../languages/texts.ts'
import type { Chat } from './chat.ts'
import { useChat } from './use-chat.ts'

/** What is read out of a message, in characters. */
const READ_OUT = 200

/** Reads messages out while the chat is closed. While it is open, its own list does. */
export function ChatAnnouncer({ chat }: { chat: Chat }) {
  const { latest, isOpen } = useChat(chat)
  return (
    <p role="status" className="sr-only">
      {latest &&
        !isOpen &&
        t('chat.announced', {
          name: latest.name || t('chat.somebody'),
          text: latest.text.slice(0, READ_OUT),
        })}
    </p>
  )
}
