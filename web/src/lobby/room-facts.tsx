import type { Room } from '../api/resources.ts'
import { dateText, listText } from '../languages/formats.ts'
import { t } from '../languages/texts.ts'

const namesShown = 4

/** One line about the room's settings and the people in it. */
export function RoomFacts({ room, people }: { room: Room; people: string[] | undefined }) {
  const facts = [
    room.quality,
    t('host.up-to-people', { count: room.max_members }),
    room.record_on_start ? t('host.always-recorded') : null,
    notOpenYet(room),
  ].filter((fact) => fact !== null)
  return (
    <div className="mt-1.5 space-y-0.5 text-sm text-ink-soft">
      <p>
        {room.display_name && room.display_name !== room.name && (
          <>
            <span className="font-mono break-all">{room.name}</span>
            {' · '}
          </>
        )}
        {facts.join(' · ')}
      </p>
      {people && people.length > 0 && <p>{whoIsHere(people)}</p>}
    </div>
  )
}

function whoIsHere(people: string[]): string {
  const more = people.length - namesShown
  const named = people.slice(0, namesShown)
  const names = listText(more > 0 ? [...named, t('host.more-people', { count: more })] : named)
  return t('host.people-here', { count: people.length, names })
}

function notOpenYet({ join_from, join_until }: Room): string | null {
  const now = Date.now()
  const options = { dateStyle: 'medium', timeStyle: 'short' } as const
  if (join_from && Date.parse(join_from) > now) return t('host.opens', { date: dateText(join_from, options) })
  if (join_until && Date.parse(join_until) < now) {
    return t('host.closed-since', { date: dateText(join_until, options) })
  }
  return null
}
