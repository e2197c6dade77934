import type { NewRoom, Quality } from '../api/resources.ts'
import { t } from '../languages/texts.ts'

/** The values of the form for a new room. */
export interface RoomForm {
  title: string
  quality: Quality
  recordOnStart: boolean
}

export const emptyRoomForm: RoomForm = { title: '', quality: '720p', recordOnStart: false }

const maxNameLength = 100
const maxTitleLength = 200

/**
 * The room name that clients use for a room with this title: `A-Za-z0-9_-`, at most 100 characters. Letters lose their
 * accents, and everything else becomes a dash. Empty if no character of the title can be kept.
 */
export function roomNameFrom(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{Mark}/gu, '')
  if (/^[A-Za-z0-9_-]+$/.test(plain.trim())) return plain.trim().slice(0, maxNameLength)
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .slice(0, maxNameLength)
    .replace(/^-+|-+$/g, '')
}

/** The problem with the title, or null. */
export function titleProblem(title: string): string | null {
  if (title.trim() === '') return t('host.title-missing')
  if ([...title.trim()].length > maxTitleLength) return t('guest.name-too-long', { max: maxTitleLength })
  if (roomNameFrom(title) === '') return t('host.title-without-letters')
  return null
}

/** The request body for a valid form. */
export function newRoomFrom(form: RoomForm): NewRoom {
  const name = roomNameFrom(form.title)
  const title = form.title.trim()
  return {
    name,
    ...(title === name ? {} : { display_name: title }),
    quality: form.quality,
    record_on_start: form.recordOnStart,
  }
}
