import { CalendarPlus } from 'lucide-react'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile } from '../sessions/session-export.ts'
import type { Conference } from './room-kinds.ts'

/** Gives the date of a conference as a file for calendars. Without a beginning there is no date. */
export function CalendarButton({ conference, link }: { conference: Conference; link: string }) {
  if (conference.join_from === null) {
    return <span className="text-sm text-ink-soft">{t('rooms.no-date')}</span>
  }
  const save = async () => {
    const { calendarFile } = await import('./calendar-file.ts')
    saveFile(`${conference.name}.ics`, 'text/calendar', calendarFile(conference, link))
  }
  return (
    <Button size="small" onClick={() => void save()}>
      <CalendarPlus aria-hidden className="size-4" />
      {t('rooms.calendar')}
    </Button>
  )
}
