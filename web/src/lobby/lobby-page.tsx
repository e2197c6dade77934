import { useQuery } from '@tanstack/react-query'
import { Gauge, LogOut, Plus } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useApi } from '../api/api-context.tsx'
import { useMay } from '../api/signed-in-access.ts'
import { LanguagePicker } from '../languages/language-picker.tsx'
import { t } from '../languages/texts.ts'
import { routeHref } from '../routes.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Logo } from '../ui/logo.tsx'
import { Notice } from '../ui/notice.tsx'
import { goTo } from '../use-route.ts'
import { useTitle } from '../use-title.ts'
import { CreateRoomDialog } from './create-room-dialog.tsx'
import { RoomList } from './room-list.tsx'
import { RoomPanel } from './room-panel.tsx'
import { useRooms } from './use-rooms.ts'

interface LobbyPageProps {
  projectId: string
  /** The selected room, or null. */
  roomName: string | null
  /** Whether this device stores the credentials. */
  remembered: boolean
  onRemember: () => void
  onSignOut: () => void
}

/** The rooms of the project on one side, the selected room on the other. A phone shows only one of the two. */
export function LobbyPage({ projectId, roomName, remembered, onRemember, onSignOut }: LobbyPageProps) {
  const [creating, setCreating] = useState(false)
  const [asked, setAsked] = useState(false)
  const main = useRef<HTMLElement>(null)
  const created = useRef<string | null>(null)
  const list = useRooms()
  useTitle(roomName)
  const empty = list.rooms?.length === 0
  const mayOperate = useMay('operate')
  // A phone shows the new room only now.
  useEffect(() => {
    if (roomName !== null && created.current === roomName) main.current?.focus()
  }, [roomName])

  function create(): void {
    created.current = null
    setCreating(true)
  }

  return (
    <div className="mx-auto flex min-h-full max-w-6xl flex-col px-4 sm:px-8">
      <header className="flex h-18 items-center gap-3">
        <Logo className="size-8" />
        <span className="text-lg font-semibold tracking-tight">Parley</span>
        <span className="flex-1" />
        <ProjectLabel projectId={projectId} />
        <Link href={routeHref({ screen: 'dashboard' })} className={buttonClass({ size: 'small' })}>
          <Gauge aria-hidden className="size-4.5" />
          <span className="sr-only sm:not-sr-only">{t('host.dashboard')}</span>
        </Link>
        <LanguagePicker />
        <IconButton label={t('host.sign-out')} onClick={onSignOut}>
          <LogOut className="size-4.5" />
        </IconButton>
      </header>

      {!remembered && !asked && (
        <Notice
          tone="info"
          title={t('host.signed-in-for-tab')}
          hint={t('host.signed-in-for-tab-hint')}
          className="mb-4"
        >
          <Button size="small" onClick={onRemember}>
            {t('host.remember-here')}
          </Button>
          <Button size="small" kind="quiet" onClick={() => setAsked(true)}>
            {t('host.not-now')}
          </Button>
        </Notice>
      )}

      <div className="grid flex-1 grid-cols-[minmax(0,1fr)] items-start gap-8 pb-12 md:grid-cols-[20rem_minmax(0,1fr)]">
        <nav aria-label={t('host.rooms')} className={classNames(roomName !== null && 'hidden md:block')}>
          <div className="mb-3 flex items-center justify-between">
            <h2 className="text-lg font-semibold tracking-tight">{t('host.rooms')}</h2>
            {!empty && mayOperate && (
              <Button kind="primary" size="small" onClick={create}>
                <Plus aria-hidden className="size-4.5" />
                {t('host.new-room')}
              </Button>
            )}
          </div>
          <RoomList list={list} picked={roomName} onCreate={create} />
        </nav>
        <main
          ref={main}
          tabIndex={-1}
          className={classNames(
            'min-w-0 rounded-xl border border-line bg-surface p-5 outline-none shadow-card sm:p-8 md:sticky md:top-6 md:max-h-[calc(100dvh-3rem)] md:min-h-120 md:overflow-y-auto',
            roomName === null && 'hidden md:block',
          )}
        >
          {roomName === null ? (
            <NothingPicked empty={empty} />
          ) : (
            <RoomPanel key={roomName} roomName={roomName} />
          )}
        </main>
      </div>

      <CreateRoomDialog
        open={creating}
        onOpenChange={setCreating}
        focusAfter={() => (created.current === null ? null : main.current)}
        onCreated={(name) => {
          created.current = name
          setCreating(false)
          goTo({ screen: 'lobby', roomName: name })
        }}
      />
    </div>
  )
}

/** Shows the project of these rooms: a link may have signed in to somebody else's project. */
function ProjectLabel({ projectId }: { projectId: string }) {
  const api = useApi()
  const { data: project } = useQuery({
    queryKey: ['project'],
    queryFn: ({ signal }) => api.getProject(signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <span className="min-w-0 text-end text-sm">
      <span className="sr-only">{t('host.project-of-rooms', { name: project?.name ?? '' })}</span>
      <span aria-hidden className="block max-w-72 truncate font-medium">
        <bdi>{project?.name}</bdi>
      </span>
      <span
        className="hidden max-w-72 truncate font-mono text-xs text-ink-soft sm:block"
        title={t('host.project-id')}
        dir="ltr"
      >
        {projectId}
      </span>
    </span>
  )
}

function NothingPicked({ empty }: { empty: boolean }) {
  return (
    <div className="grid min-h-100 place-items-center">
      <EmptyState
        icon={<Logo className="size-7" />}
        title={t(empty ? 'host.no-meetings-yet' : 'host.pick-room')}
        hint={t(empty ? 'host.no-meetings-yet-hint' : 'host.pick-room-hint')}
      />
    </div>
  )
}
