import type { EmbedOptions } from '@parley/embed/protocol'
import { CloudOff, Frame, ShieldAlert } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { Invited } from '../conference/conference-page.tsx'
import { t } from '../languages/texts.ts'
import { GuestVisit } from '../room/guest-visit.tsx'
import { asAudience, readRoomToken } from '../room/room-token.ts'
import { keepSeatOf } from '../room/seat.ts'
import { type Surroundings, SurroundingsContext, type VisitProblem } from '../room/surroundings.ts'
import { MessagePage } from '../ui/message-page.tsx'
import { type Theme, useForcedTheme } from '../use-forced-theme.ts'
import type { Embedder } from './embedder.ts'
import type { MeetingReporter } from './meeting-reporter.ts'
import { allowCommand, useEmbedder } from './use-embedder.ts'

/** The page in the frame of `<parley-conference>`: a visit like any other, in what another site puts around it. */
export function EmbedPage() {
  const { embedding, embedder, reporter } = useEmbedder()
  useForcedTheme(embedding.is === 'open' ? themeOf(embedding.options) : null)
  switch (embedding.is) {
    case 'waiting':
      return null
    case 'alone':
      return (
        <MessagePage
          icon={<Frame className="size-6" />}
          title={t('embed.alone')}
          hint={t('embed.alone-hint')}
        />
      )
    case 'unreachable':
      return (
        <MessagePage
          icon={<CloudOff className="size-6" />}
          title={t('embed.unreachable')}
          hint={t('embed.unreachable-hint')}
        />
      )
    case 'forbidden':
      return (
        <MessagePage
          icon={<ShieldAlert className="size-6" />}
          title={t('embed.forbidden-title', { origin: embedding.origin })}
          hint={t('embed.forbidden-hint')}
        >
          <code className="block max-w-96 select-all rounded-md bg-raised px-3 py-2 font-mono text-sm break-words">
            {allowCommand(embedding)}
          </code>
        </MessagePage>
      )
    case 'open':
      return embedder && <OpenVisit options={embedding.options} embedder={embedder} reporter={reporter} />
  }
}

const themeOf = ({ theme }: EmbedOptions): Theme | null => (theme === 'auto' ? null : theme)

interface OpenVisitProps {
  options: EmbedOptions
  embedder: Embedder
  reporter: MeetingReporter
}

function OpenVisit({ options, embedder, reporter }: OpenVisitProps) {
  const { token, audience } = options
  const around = useMemo(() => surroundings(options, embedder, reporter), [options, embedder, reporter])
  const joinWith = audience ? asAudience(token) : token
  const isConference = token.startsWith('vpt_')
  const isUnreadable = !isConference && readRoomToken(token) === null
  useState(() => keepSeatOf(joinWith))
  useEffect(() => {
    if (isUnreadable)
      embedder.tell('error', { code: 'token-invalid', message: t('guest.unreadable-invitation') })
  }, [embedder, isUnreadable])
  return (
    <SurroundingsContext value={around}>
      {isConference ? (
        <Invited key={joinWith} token={token} joinWith={joinWith} />
      ) : (
        <GuestVisit key={joinWith} roomToken={joinWith} />
      )}
    </SurroundingsContext>
  )
}

function surroundings(options: EmbedOptions, embedder: Embedder, reporter: MeetingReporter): Surroundings {
  return {
    ...options,
    onMeeting: (meeting, roomName) => reporter.follow(meeting, roomName),
    onLeft: (reason) => {
      reporter.left()
      embedder.tell('left', { reason })
    },
    onProblem: (problem) => embedder.tell('error', { code: problem.code, message: problemText(problem) }),
  }
}

function problemText(problem: VisitProblem): string {
  switch (problem.code) {
    case 'join-failed':
      return `${problem.text.title}. ${problem.text.hint}`
    case 'not-open':
      return t('embed.not-open', { state: problem.state })
    default:
      return t(`embed.${problem.code}`)
  }
}
