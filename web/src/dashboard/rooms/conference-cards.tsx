import { useQuery } from '@tanstack/react-query'
import { LockKeyhole } from 'lucide-react'
import { ApiError } from '../../api/api-error.ts'
import { useMay } from '../../api/signed-in-access.ts'
import { t } from '../../languages/texts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { CalendarButton } from './calendar-button.tsx'
import { ConferenceLink } from './conference-link.tsx'
import { EmbedCode } from './embed-code.tsx'
import type { Conference } from './room-kinds.ts'
import { conferenceTokens } from './room-queries.ts'

/** What a conference is handed out by: its links, its date for calendars, and the code for pages of other sites. */
export function ConferenceCards({ conference }: { conference: Conference }) {
  const { client } = useDashboard()
  const mayChange = useMay('operate')
  const query = useQuery({ ...conferenceTokens(client, conference.id), enabled: mayChange })
  const isRefused = !mayChange || (query.error instanceof ApiError && query.error.status === 403)
  if (isRefused) {
    return (
      <Card title={t('rooms.links')} className="mb-5">
        <EmptyState
          icon={<LockKeyhole className="size-6" />}
          title={t('rooms.links-refused')}
          hint={t('rooms.links-refused-hint')}
        />
      </Card>
    )
  }
  return (
    <div className="mb-5">
      <Asking query={query} placeholder="h-60">
        {(tokens) => {
          const guest = tokens.find(({ name }) => name === 'guest')
          return (
            <div className="grid items-start gap-5 lg:grid-cols-2">
              <Card
                title={t('rooms.links')}
                {...(guest && { aside: <CalendarButton conference={conference} link={guest.url} /> })}
              >
                <ul className="space-y-5">
                  {tokens.map((token) => (
                    <ConferenceLink key={token.id} conference={conference} token={token} />
                  ))}
                </ul>
              </Card>
              {guest && <EmbedCode token={guest} />}
            </div>
          )
        }}
      </Asking>
    </div>
  )
}
