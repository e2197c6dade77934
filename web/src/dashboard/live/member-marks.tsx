import { Hand, type LucideIcon, MicOff, VideoOff, Wifi, WifiHigh, WifiLow, WifiOff } from 'lucide-react'
import type { TextId } from '../../languages/catalogs.ts'
import { t } from '../../languages/texts.ts'
import { classNames } from '../../ui/class-names.ts'
import type { LiveMember } from './live-queries.ts'

const CONNECTIONS: Record<
  Exclude<LiveMember['connection'], 'connected'>,
  { icon: LucideIcon; text: TextId; look: string }
> = {
  connecting: { icon: WifiHigh, text: 'live.connection-connecting', look: 'text-ink-soft' },
  interrupted: { icon: WifiOff, text: 'live.connection-interrupted', look: 'text-warning-ink' },
  away: { icon: WifiOff, text: 'live.connection-away', look: 'text-danger-ink' },
}

/** What the server knows of somebody: hand, microphone, camera and connection. */
export function MemberMarks({ member }: { member: LiveMember }) {
  return (
    <span className="flex shrink-0 items-center gap-2 text-ink-soft">
      {member.hand_raised && <Mark icon={Hand} text="live.hand-raised" look="text-warning-ink" />}
      {member.audio_muted && <Mark icon={MicOff} text="live.muted" />}
      {member.video_muted && <Mark icon={VideoOff} text="live.camera-off" />}
      <Connection member={member} />
    </span>
  )
}

const LEVELS = { good: 'text-live', fair: 'text-warning-ink', poor: 'text-danger-ink' } as const

/** Whether somebody is connected, and how well. */
function Connection({ member: { connection, quality } }: { member: LiveMember }) {
  if (connection !== 'connected') return <Mark {...CONNECTIONS[connection]} />
  if (!quality) return <Mark icon={Wifi} text="live.connection-connected" look="text-live" />
  const words = t('live.connection-measured', {
    level: t(`live.quality-${quality.level}`),
    loss: quality.loss,
    roundTrip: quality.round_trip_ms ?? 0,
  })
  const Icon = quality.level === 'poor' ? WifiLow : Wifi
  return (
    <Icon role="img" aria-label={words} className={classNames('size-4', LEVELS[quality.level])}>
      <title>{words}</title>
    </Icon>
  )
}

function Mark({ icon: Icon, text, look }: { icon: LucideIcon; text: TextId; look?: string }) {
  return <Icon role="img" aria-label={t(text)} className={classNames('size-4', look)} />
}
