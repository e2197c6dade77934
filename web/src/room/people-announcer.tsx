import { useEffect, useRef, useState } from 'react'
import { t } from '../languages/texts.ts'
import type { MeetingMember } from './members.ts'

/** Tells screen readers who joined, who left, and who raised a hand. */
export function PeopleAnnouncer({ people }: { people: readonly MeetingMember[] }) {
  const before = useRef(people)
  const [news, setNews] = useState('')
  useEffect(() => {
    const told = changes(before.current, people)
    before.current = people
    if (told) setNews(told)
  }, [people])
  return (
    <p role="status" className="sr-only">
      {news}
    </p>
  )
}

function changes(before: readonly MeetingMember[], after: readonly MeetingMember[]): string {
  const notIn = (list: readonly MeetingMember[]) => (one: MeetingMember) =>
    !list.some((other) => other.id === one.id)
  return [
    ...after.filter(notIn(before)).map((one) => t('meeting.member-joined', { name: one.name })),
    ...before.filter(notIn(after)).map((one) => t('meeting.member-left', { name: one.name })),
    ...after
      .filter((one) => one.handRaised && isDown(before, one))
      .map((one) => t('meeting.member-raised-hand', { name: one.name })),
  ].join(' ')
}

const isDown = (list: readonly MeetingMember[], one: MeetingMember): boolean =>
  list.some((other) => other.id === one.id && !other.handRaised)
