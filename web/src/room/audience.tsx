import { useQuery } from '@tanstack/react-query'
import { UserCheck } from 'lucide-react'
import { useApi } from '../api/api-context.tsx'
import { Button } from '../ui/button.tsx'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'

const refreshMs = 3_000

/** How many watch. The room tells its members no more than that. */
export function AudienceCount({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <p className="text-sm text-ink-soft">
      {count === 1 ? 'One person watches and listens.' : `${count} people watch and listen.`}
    </p>
  )
}

interface AudienceProps {
  meeting: Meeting
  state: MeetingState
}

/** Who watches, for people with the API token. They can let each of them take part. */
export function AudienceList({ meeting, state }: AudienceProps) {
  const api = useApi()
  const { sessionId, audienceCount } = state
  const { data, refetch } = useQuery({
    queryKey: ['audience', sessionId, audienceCount],
    queryFn: ({ signal }) => api.listSessionMembers(sessionId ?? '', signal),
    enabled: sessionId !== null && audienceCount > 0,
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
  })
  // The API lists everybody who is in the session. Those who are no members watch.
  const audience = (data?.data ?? []).filter(
    ({ id, leave_time }) => leave_time === null && !state.members.some((member) => member.id === id),
  )
  if (audienceCount === 0 || audience.length === 0) return <AudienceCount count={audienceCount} />
  return (
    <section aria-labelledby="audience-heading">
      <h3 id="audience-heading" className="mb-1 text-sm font-semibold text-ink-soft">
        Audience
      </h3>
      <ul aria-label="Audience" className="-mx-1 space-y-0.5">
        {audience.map(({ id, name }) => (
          <li key={id} className="flex min-h-12 items-center gap-3 rounded-md px-1">
            <span className="min-w-0 flex-1 truncate">{name ?? 'Somebody'}</span>
            {state.permissions.includes('room.member.promote') && (
              <Button
                size="small"
                aria-label={`Let ${name ?? 'somebody'} take part`}
                onClick={() => void meeting.room.promote(id).then(() => refetch())}
              >
                <UserCheck aria-hidden className="size-4" />
                Let take part
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
