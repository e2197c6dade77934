import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../api/api-context.tsx'
import { ApiError } from '../api/api-error.ts'
import { t } from '../languages/texts.ts'
import { RecordingList } from '../recordings/recording-list.tsx'
import { routeHref } from '../routes.ts'
import { AudienceList } from './audience.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { moderatorPermissions } from './join-permissions.ts'
import { Visit } from './visit.tsx'

/**
 * The visit of a person with the API token. It creates the person's own room token, with the permissions of a
 * moderator.
 */
export function MemberVisit({ roomName }: { roomName: string }) {
  const api = useApi()
  const [inviting, setInviting] = useState(false)
  const { data: room, error } = useQuery({
    queryKey: ['room', roomName],
    queryFn: ({ signal }) => api.getRoom(roomName, signal),
  })
  const roomTitle = room?.display_name ?? roomName
  const missing = error instanceof ApiError && error.status === 404

  return (
    <>
      <Visit
        roomName={roomName}
        roomTitle={roomTitle}
        fixedName={null}
        lobbyHref={routeHref({ screen: 'lobby', roomName })}
        getToken={({ choices, tracks }) =>
          api.createRoomToken({
            room_name: roomName,
            user_name: choices.name,
            permissions: moderatorPermissions,
            join_audio_muted: !tracks.some((track) => track.kind === 'audio'),
            join_video_muted: !tracks.some((track) => track.kind === 'video'),
          })
        }
        onInvite={() => setInviting(true)}
        showAudience={(meeting, state) => <AudienceList meeting={meeting} state={state} />}
        greenRoomNote={
          <p className="mt-1 text-sm text-ink-soft empty:hidden">
            {missing && t('host.room-is-new')}
            {room?.record_on_start && t('host.room-records')}
          </p>
        }
        afterwards={
          <section aria-labelledby="recordings-heading" className="mt-10 w-full">
            <h2 id="recordings-heading" className="mb-3 text-lg font-semibold tracking-tight">
              {t('host.recordings')}
            </h2>
            <RecordingList roomName={roomName} />
          </section>
        }
      />
      <InviteDialog roomName={roomName} roomTitle={roomTitle} open={inviting} onOpenChange={setInviting} />
    </>
  )
}
