import { t } from '../../languages/texts.ts'
import type { RoomNews } from './chat-machine.ts'

/** What happened in the room, as a line of the chat. */
export function noteText(news: RoomNews): string {
  switch (news.is) {
    case 'joined':
      return t('chat.note-joined', { name: news.name })
    case 'left':
      return t('chat.note-left', { name: news.name })
    default:
      return t(NOTES[news.is])
  }
}

const NOTES = {
  'recording-started': 'chat.note-recording-started',
  'recording-paused': 'chat.note-recording-paused',
  'recording-resumed': 'chat.note-recording-resumed',
  'recording-ended': 'chat.note-recording-ended',
  'streaming-started': 'chat.note-streaming-started',
  'streaming-ended': 'chat.note-streaming-ended',
  locked: 'chat.note-locked',
  unlocked: 'chat.note-unlocked',
} as const
