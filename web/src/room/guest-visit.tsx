import { LinkIcon, ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../ui/empty-state.tsx'
import { foreignServerText } from './join-error-text.ts'
import { readRoomToken } from './room-token.ts'
import { useOwnServer } from './use-own-server.ts'
import { Visit } from './visit.tsx'

/** The visit of a person with an invitation. The link contains a room token, so no API token is needed. */
export function GuestVisit({ roomToken }: { roomToken: string }) {
  const invitation = readRoomToken(roomToken)
  const server = useOwnServer(roomToken)
  if (!invitation) {
    return (
      <NoVisit
        icon={<LinkIcon className="size-6" />}
        title="This invitation cannot be read"
        hint="Part of the link may be missing. Copy all of it into the address bar, or ask for a new one."
      />
    )
  }
  if (server.is === 'asking') return null
  if (server.is === 'foreign') {
    return <NoVisit icon={<ShieldAlert className="size-6" />} {...foreignServerText(server.host)} />
  }
  return (
    <Visit
      roomName={invitation.roomName}
      roomTitle={invitation.roomTitle ?? invitation.roomName}
      fixedName={invitation.userName}
      onlyWatches={invitation.onlyWatches}
      getToken={async () => roomToken}
      greenRoomNote={
        <p className="mt-1 text-sm text-ink-soft">
          {invitation.userName !== null && !invitation.onlyWatches
            ? `The others will see you as ${invitation.userName}.`
            : `You join as ${invitation.userName ?? 'a guest'}.`}
        </p>
      }
    />
  )
}

function NoVisit(props: { icon: ReactNode; title: string; hint: string }) {
  return (
    <main className="grid min-h-full place-items-center" role="alert">
      <EmptyState {...props} />
    </main>
  )
}
