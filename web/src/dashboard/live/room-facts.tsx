import { Circle, Eye, Lock, type LucideIcon, Radio, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../../languages/texts.ts'
import { classNames } from '../../ui/class-names.ts'
import type { LiveRoom } from './live-queries.ts'

/** How many are in a room, and whether it is locked, recorded or streamed. */
export function RoomFacts({ room }: { room: LiveRoom }) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-ink-soft">
      <Fact icon={Users}>{t('live.people', { count: room.people })}</Fact>
      {room.audience > 0 && <Fact icon={Eye}>{t('live.watchers', { count: room.audience })}</Fact>}
      {room.locked && <Fact icon={Lock}>{t('live.locked')}</Fact>}
      {room.recording && (
        <Fact icon={Circle} look="font-medium text-danger-ink">
          {t(room.recording === 'paused' ? 'live.recording-paused' : 'live.recording')}
        </Fact>
      )}
      {room.streams > 0 && (
        <Fact icon={Radio} look="font-medium text-danger-ink">
          {t('live.streaming', { count: room.streams })}
        </Fact>
      )}
    </p>
  )
}

function Fact({ icon: Icon, look, children }: { icon: LucideIcon; look?: string; children: ReactNode }) {
  return (
    <span className={classNames('inline-flex items-center gap-1.5', look)}>
      <Icon aria-hidden className="size-4 shrink-0" />
      {children}
    </span>
  )
}
