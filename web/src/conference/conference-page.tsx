import { CloudOff, LinkIcon } from 'lucide-react'
import { type FormEvent, useState, useSyncExternalStore } from 'react'
import { addressBar, subscribeAddressBar } from '../address-bar.ts'
import { loadSeat } from '../room/seat.ts'
import { Visit } from '../room/visit.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Field } from '../ui/field.tsx'
import { useTitle } from '../use-title.ts'
import { ClosedDoor } from './closed-door.tsx'
import { type Invitation, tokenIn } from './invitation.ts'
import { useConferenceTheme } from './use-conference-theme.ts'
import { useInvitation } from './use-invitation.ts'

/**
 * The page of a conference. The token in its link says whose conference it is and what one may do; it is in the
 * fragment, which no server gets to see. Without it the page tells nothing, not even whether there is such a conference.
 */
export function ConferencePage({ name }: { name: string }) {
  const token = useSyncExternalStore(subscribeAddressBar, () => tokenIn(addressBar().fragment))
  return token === null ? <WholeLink key={name} /> : <Invited key={token} token={token} />
}

function Invited({ token }: { token: string }) {
  const look = useInvitation(token)
  const invitation = look.is === 'read' ? look.invitation : null
  useConferenceTheme(invitation)
  switch (look.is) {
    case 'asking':
      return null
    case 'void':
      return (
        <Message
          icon={<LinkIcon className="size-6" />}
          title="This link is not valid any more"
          hint="It was replaced, or its conference is gone. Ask whoever invited you for a new one."
        />
      )
    case 'unreachable':
      return (
        <Message
          icon={<CloudOff className="size-6" />}
          title="The server cannot be reached"
          hint="Check that this device is online. This page tries again by itself."
        />
      )
    case 'read':
      return <Door invitation={look.invitation} opensAtMs={look.opensAtMs} token={token} />
  }
}

/** Whoever has been let in stays on the way in, or in the meeting. */
function Door(props: { invitation: Invitation; opensAtMs: number | null; token: string }) {
  const { invitation, opensAtMs, token } = props
  const { name, display_name, description, role, state } = invitation
  const title = display_name ?? name
  // A reload during the meeting returns to it, also if the conference is locked or full meanwhile.
  const [hadSeat] = useState(() => loadSeat(name) !== null)
  useTitle(title)
  if (state !== 'open' && !hadSeat) {
    return <ClosedDoor title={title} invitation={invitation} state={state} opensAtMs={opensAtMs} />
  }
  return (
    <Visit
      roomName={name}
      roomTitle={title}
      fixedName={null}
      getToken={async () => token}
      greenRoomNote={
        <>
          {description && (
            <p className="mt-1 line-clamp-4 whitespace-pre-line text-sm text-ink-soft">{description}</p>
          )}
          <p className="mt-1 text-sm text-ink-soft">
            {role === 'moderator' ? 'You join as a moderator.' : 'You join as a guest.'}
          </p>
        </>
      }
    />
  )
}

/** Asks for the link, of which the part with the token is missing. */
function WholeLink() {
  const [problem, setProblem] = useState<string | null>(null)
  const [link, setLink] = useState('')
  useTitle(null)

  function submit(event: FormEvent): void {
    event.preventDefault()
    const token = tokenIn(link)
    if (token === null) setProblem('This is not the whole link. It ends with # and a long code.')
    else window.location.hash = `#${token}`
  }

  return (
    <main className="grid min-h-full place-items-center px-4 py-8">
      <form onSubmit={submit} className="w-full max-w-md space-y-5">
        <div>
          <h1 className="text-2xl font-semibold tracking-tight">Part of the link is missing</h1>
          <p className="mt-2 text-ink-soft">
            The link of a conference ends with # and a long code, which lets you in. Paste the whole link
            here, or ask whoever invited you for it.
          </p>
        </div>
        <Field
          label="Link"
          value={link}
          onChange={(event) => setLink(event.target.value)}
          error={problem}
          autoComplete="off"
          autoFocus
        />
        <Button kind="primary" size="large" type="submit" className="w-full">
          Go on
        </Button>
      </form>
    </main>
  )
}

function Message(props: Parameters<typeof EmptyState>[0]) {
  return (
    <main className="grid min-h-full place-items-center" role="alert">
      <EmptyState {...props} />
    </main>
  )
}
