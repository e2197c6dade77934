import { LinkIcon, ShieldAlert } from 'lucide-react'
import { MarkedText } from '../languages/marked-text.tsx'
import { t } from '../languages/texts.ts'
import { MessagePage } from '../ui/message-page.tsx'
import { foreignServerText } from './foreign-server-text.ts'
import { readRoomToken } from './room-token.ts'
import { useOwnServer } from './use-own-server.ts'
import { Visit } from './visit.tsx'

/** The visit of a person with an invitation. The link contains a room token, so no API token is needed. */
export function GuestVisit({ roomToken }: { roomToken: string }) {
  const invitation = readRoomToken(roomToken)
  const server = useOwnServer(roomToken)
  if (!invitation) {
    return (
      <MessagePage
        icon={<LinkIcon className="size-6" />}
        title={t('guest.unreadable-invitation')}
        hint={t('guest.unreadable-invitation-hint')}
      />
    )
  }
  if (server.is === 'asking') return null
  if (server.is === 'foreign') {
    return <MessagePage icon={<ShieldAlert className="size-6" />} {...foreignServerText(server.host)} />
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
          <OwnName name={invitation.userName} isSeen={!invitation.onlyWatches} />
        </p>
      }
    />
  )
}

/** Says how the others will call the person. @param name null if the invitation has none */
function OwnName({ name, isSeen }: { name: string | null; isSeen: boolean }) {
  if (name === null) return t('guest.joining-as-guest')
  return (
    <MarkedText id={isSeen ? 'guest.seen-as' : 'guest.joining-as'} values={{ name: <bdi>{name}</bdi> }} />
  )
}
