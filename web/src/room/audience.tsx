import { useQuery } from '@tanstack/react-query'
import { UserCheck } from 'lucide-react'
import { useApi } from '../api/api-context.tsx'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'

const refreshMs = 3_000

/** How many watch. The room tells its members no more than that. */
export function AudienceCount({ count }: { count: number }) {
  if (count === 0) return null
  return <p className="text-sm text-ink-soft">{t('meeting.audience-count', { count })}</p>
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
        {t('meeting.audience')}
      </h3>
      <ul aria-label={t('meeting.audience')} className="-mx-1 space-y-0.5">
        {audience.map(({ id, name }) => (
          <li key={id} className="flex min-h-12 items-center gap-3 rounded-md px-1">
            <span className="min-w-0 flex-1 truncate">
              <bdi>{name ?? t('meeting.somebody')}</bdi>
            </span>
            {state.permissions.includes('room.member.promote') && (
              <Button
                size="small"
                aria-label={t('meeting.let-member-take-part', { name: name ?? t('meeting.somebody') })}
                onClick={() => void meeting.room.promote(id).then(() => refetch())}
              >
                <UserCheck aria-hidden className="size-4" />
                {t('meeting.let-take-part')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
