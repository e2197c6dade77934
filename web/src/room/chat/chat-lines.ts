import type { ChatMessage, ChatNote, ChatState, OwnText } from './chat-machine.ts'

/** A line of the chat, from the first to the last. */
export type ChatLine =
  /** @property isFirst whether who wrote it is named: not again, if that person goes on writing */
  | { is: 'message'; key: string; message: ChatMessage; isOwn: boolean; isFirst: boolean }
  | { is: 'note'; key: string; note: ChatNote }
  | { is: 'own'; key: string; own: OwnText }

/** Messages of one person within this time belong together. */
const TOGETHER_MS = 3 * 60_000

/** Messages and notes by their time, and then what is under way. */
export function chatLines({ messages, notes, outbox, selfId }: ChatState): ChatLine[] {
  const lines: ChatLine[] = []
  let noteAt = 0
  let last: ChatMessage | null = null
  const addNotesUntil = (atMs: number) => {
    for (let note = notes[noteAt]; note && note.atMs < atMs; note = notes[noteAt]) {
      lines.push({ is: 'note', key: note.key, note })
      noteAt++
      last = null
    }
  }
  for (const message of messages) {
    addNotesUntil(message.atMs)
    const goesOn = last?.memberId === message.memberId && message.atMs - last.atMs < TOGETHER_MS
    lines.push({
      is: 'message',
      key: message.id,
      message,
      isOwn: message.memberId === selfId,
      isFirst: !goesOn,
    })
    last = message
  }
  addNotesUntil(Number.POSITIVE_INFINITY)
  return [...lines, ...outbox.map((own) => ({ is: 'own', key: own.key, own }) as const)]
}
