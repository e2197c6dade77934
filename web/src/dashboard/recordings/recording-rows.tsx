import { Link } from 'wouter'
import { clockText, dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { sizeText } from '../../recordings/format.ts'
import { screenHref } from '../addresses.ts'
import { Poster } from './poster.tsx'
import type { FoundRecording } from './recording-queries.ts'
import { isOver, stateText } from './recording-state.ts'

interface RecordingRowsProps {
  recordings: readonly FoundRecording[]
  /** Ids of those that are chosen; null where nobody may choose. */
  chosen: ReadonlySet<string> | null
  onChoose: (id: string, isChosen: boolean) => void
}

/** Recordings, each with a picture, a link to its screen and one to its session. */
export function RecordingRows({ recordings, chosen, onChoose }: RecordingRowsProps) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface shadow-card">
      {recordings.map((recording) => (
        <li key={recording.id} className="relative flex items-center gap-3 px-3 py-3 hover:bg-hover sm:gap-4">
          {chosen && (
            <label className="relative z-10 grid size-9 shrink-0 cursor-pointer place-items-center">
              <input
                type="checkbox"
                aria-label={t('recordings.choose', { name: recording.room_name, time: timeText(recording) })}
                checked={chosen.has(recording.id)}
                disabled={!isOver(recording)}
                onChange={(event) => onChoose(recording.id, event.target.checked)}
                className="size-4.5 accent-accent"
              />
            </label>
          )}
          <Poster recording={recording} />
          <Facts recording={recording} />
        </li>
      ))}
    </ul>
  )
}

function Facts({ recording }: { recording: FoundRecording }) {
  const { id, room_name, room_session_id, duration, size_in_bytes } = recording
  const facts = [
    duration === null ? null : clockText(duration),
    size_in_bytes ? sizeText(size_in_bytes) : null,
    t(stateText(recording)),
  ]
  return (
    <div className="min-w-0 flex-1 space-y-0.5">
      <Link
        href={screenHref(`recordings/${id}`)}
        className="block rounded-sm font-medium break-all text-ink hover:text-accent after:absolute after:inset-0"
      >
        <bdi>{room_name}</bdi>
      </Link>
      <p className="text-sm text-ink-soft">{timeText(recording)}</p>
      <p className="text-sm text-ink-soft tabular-nums">{facts.filter(Boolean).join(' · ')}</p>
      <Link
        href={screenHref(`sessions/${room_session_id}`)}
        className="relative z-10 inline-flex min-h-6 items-center rounded-sm text-sm font-medium text-accent hover:underline"
      >
        {t('recordings.to-session')}
      </Link>
    </div>
  )
}

/** When it was made. */
const timeText = ({ started_at, created_at }: FoundRecording) =>
  dateText(started_at ?? created_at, { dateStyle: 'medium', timeStyle: 'short' })
