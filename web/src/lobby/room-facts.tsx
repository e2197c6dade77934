import type { Room } from '../api/resources.ts'

const namesShown = 4

/** One line about the room's settings and the people in it. */
export function RoomFacts({ room, people }: { room: Room; people: string[] | undefined }) {
  const facts = [
    room.quality,
    `up to ${room.max_members} people`,
    room.record_on_start ? 'always recorded' : null,
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
  const all = new Intl.ListFormat('en').format(more > 0 ? [...named, `${more} more`] : named)
  return `${all} ${people.length === 1 ? 'is' : 'are'} here`
}

function notOpenYet(room: Room): string | null {
  const now = Date.now()
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  if (room.join_from && Date.parse(room.join_from) > now)
    return `opens ${format.format(new Date(room.join_from))}`
  if (room.join_until && Date.parse(room.join_until) < now) {
    return `closed since ${format.format(new Date(room.join_until))}`
  }
  return null
}
