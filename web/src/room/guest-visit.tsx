import { LinkIcon } from 'lucide-react'
import { EmptyState } from '../ui/empty-state.tsx'
import { readRoomToken } from './room-token.ts'
import { Visit } from './visit.tsx'

/** The visit of somebody who followed an invitation: the link holds a room token and no API token is needed. */
export function GuestVisit({ roomToken }: { roomToken: string }) {
  const invitation = readRoomToken(roomToken)
  if (!invitation) {
    return (
      <main className="grid min-h-full place-items-center">
        <EmptyState
          icon={<LinkIcon className="size-6" />}
          title="This invitation cannot be read"
          hint="Part of the link may be missing. Copy all of it into the address bar, or ask for a new one."
        />
      </main>
    )
  }
  return (
    <Visit
      roomName={invitation.roomName}
      roomTitle={invitation.roomTitle ?? invitation.roomName}
      fixedName={invitation.userName ?? 'Guest'}
      getToken={async () => roomToken}
      greenRoomNote={
        <p className="mt-1 text-sm text-ink-soft">
          {invitation.userName
            ? `The others will see you as ${invitation.userName}.`
            : 'You join as a guest.'}
        </p>
      }
    />
  )
}
