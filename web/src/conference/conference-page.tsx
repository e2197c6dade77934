import { CloudOff, LinkIcon } from 'lucide-react'
import { type FormEvent, useState, useSyncExternalStore } from 'react'
import { addressBar, subscribeAddressBar } from '../address-bar.ts'
import { t } from '../languages/texts.ts'
import { isAudienceToken } from '../room/room-token.ts'
import { loadSeat } from '../room/seat.ts'
import { Visit } from '../room/visit.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { MessagePage } from '../ui/message-page.tsx'
import { useTitle } from '../use-title.ts'
import { ClosedDoor } from './closed-door.tsx'
import { type Invitation, tokenIn } from './invitation.ts'
import { useConferenceTheme } from './use-conference-theme.ts'
import { useInvitation } from './use-invitation.ts'
import { useReportedProblem } from './use-reported-problem.ts'

/**
 * The page of a conference. The token in its link says whose conference it is and what one may do; it is in the
 * fragment, which no server gets to see. Without it the page tells nothing, not even whether there is such a conference.
 */
export function ConferencePage({ name }: { name: string }) {
  const token = useSyncExternalStore(subscribeAddressBar, () => tokenIn(addressBar().fragment))
  return token === null ? <WholeLink key={name} /> : <Invited key={token} token={token} />
}

/**
 * The visit of somebody with the token of a conference.
 * @param joinWith what to join with in place of the token
 */
export function Invited({ token, joinWith = token }: { token: string; joinWith?: string }) {
  const look = useInvitation(token)
  useReportedProblem(look)
  const invitation = look.is === 'read' ? look.invitation : null
  useConferenceTheme(invitation)
  switch (look.is) {
    case 'asking':
      return null
    case 'void':
      return (
        <MessagePage
          icon={<LinkIcon className="size-6" />}
          title={t('guest.link-void')}
          hint={t('guest.link-void-hint')}
        />
      )
    case 'unreachable':
      return (
        <MessagePage
          icon={<CloudOff className="size-6" />}
          title={t('guest.server-away')}
          hint={t('guest.server-away-hint')}
        />
      )
    case 'read':
      return <Door invitation={look.invitation} opensAtMs={look.opensAtMs} token={joinWith} />
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
      onlyWatches={isAudienceToken(token)}
      getToken={async () => token}
      greenRoomNote={
        <>
          {description && (
            <p className="mt-1 line-clamp-4 whitespace-pre-line text-sm text-ink-soft">{description}</p>
          )}
          <p className="mt-1 text-sm text-ink-soft">
            {t(role === 'moderator' ? 'guest.joining-as-moderator' : 'guest.joining-as-guest')}
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
    if (token === null) setProblem(t('guest.link-not-whole'))
    else window.location.hash = `#${token}`
  }

  return (
    <main className="grid min-h-full place-items-center px-4 py-8">
      <form onSubmit={submit} className="w-full max-w-md space-y-5">
        <div>
          <h1 className="text-2xl font-semibold tracking-tight">{t('guest.link-incomplete')}</h1>
          <p className="mt-2 text-ink-soft">{t('guest.link-incomplete-hint')}</p>
        </div>
        <Field
          label={t('guest.link')}
          dir="ltr"
          value={link}
          onChange={(event) => setLink(event.target.value)}
          error={problem}
          autoComplete="off"
          autoFocus
        />
        <Button kind="primary" size="large" type="submit" className="w-full">
          {t('guest.go-on')}
        </Button>
      </form>
    </main>
  )
}
