import { CalendarClock, CalendarX, DoorClosed, Lock, type LucideIcon } from 'lucide-react'
import { dateText, numberText } from '../languages/formats.ts'
import { t } from '../languages/texts.ts'
import { useSecondsUntil } from '../room/use-seconds-until.ts'
import type { Invitation } from './invitation.ts'

const ICONS = {
  early: CalendarClock,
  over: CalendarX,
  full: DoorClosed,
  locked: Lock,
} as const satisfies Readonly<Record<Exclude<Invitation['state'], 'open'>, LucideIcon>>

interface ClosedDoorProps {
  title: string
  invitation: Invitation
  state: keyof typeof ICONS
  /** Unix milliseconds; null unless it is known. */
  opensAtMs: number | null
}

/** The screen of a conference that cannot be joined now. */
export function ClosedDoor({ title, invitation, state, opensAtMs }: ClosedDoorProps) {
  const Icon = ICONS[state]
  return (
    <main className="grid min-h-full place-items-center px-4 py-8">
      <div className="w-full max-w-md space-y-5">
        <div className="grid size-12 place-items-center rounded-full bg-accent-soft text-accent">
          <Icon aria-hidden className="size-6" />
        </div>
        <div>
          <h1 className="text-2xl font-semibold tracking-tight break-words">{title}</h1>
          {invitation.description && (
            <p className="mt-2 whitespace-pre-line break-words text-ink-soft">{invitation.description}</p>
          )}
        </div>
        <div role="status" className="rounded-md bg-raised px-4 py-3">
          <p className="font-semibold">{t(`guest.door-${state}`)}</p>
          {state === 'early' && invitation.join_from && (
            <p className="mt-1">{t('guest.opens', { date: dateOf(invitation.join_from) })}</p>
          )}
          {state === 'over' && invitation.join_until && (
            <p className="mt-1">{t('guest.was-open-until', { date: dateOf(invitation.join_until) })}</p>
          )}
          <p className="mt-1 text-sm text-ink-soft">{t(`guest.door-${state}-hint`)}</p>
        </div>
        {opensAtMs !== null && <Countdown untilMs={opensAtMs} />}
      </div>
    </main>
  )
}

function Countdown({ untilMs }: { untilMs: number }) {
  const seconds = useSecondsUntil(untilMs)
  return (
    <p role="timer" className="text-xl font-semibold tabular-nums">
      {durationText(seconds)}
    </p>
  )
}

/** `2 days 03:04:05`, or `03:04:05`, or `04:05`. */
export function durationText(seconds: number): string {
  const days = Math.floor(seconds / 86_400)
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ]
  const parts = (days > 0 || hours > 0 ? [hours, minutes, rest] : [minutes, rest]).map((part) =>
    numberText(part, { minimumIntegerDigits: 2 }),
  )
  const clock = parts.join(':')
  return days === 0 ? clock : t('guest.days-and-clock', { days, clock })
}

const dateOf = (time: string) => dateText(time, { dateStyle: 'full', timeStyle: 'short' })
