import { Pause, Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import { clockText } from '../languages/formats.ts'
import { t } from '../languages/texts.ts'
import { classNames } from '../ui/class-names.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { type MeetingRecording, recordedMsOf } from './recording-state.ts'

interface RecordingBadgeProps {
  recording: MeetingRecording
  /** Set if this member may pause it. */
  onPause: ((paused: boolean) => void) | null
}

/** Shows that the meeting is being recorded, and how much is recorded so far. */
export function RecordingBadge({ recording, onPause }: RecordingBadgeProps) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  const { paused } = recording
  const recordedMs = recordedMsOf(recording, Math.max(now, recording.sinceMs ?? 0))
  return (
    <span className="inline-flex shrink-0 items-center gap-1">
      <span
        className={classNames(
          'inline-flex items-center gap-2 rounded-full px-3 py-1 text-sm font-semibold',
          paused ? 'bg-warning-soft text-warning-ink' : 'bg-danger-soft text-danger-ink',
        )}
      >
        {paused ? (
          <Pause aria-hidden className="size-3 fill-current" />
        ) : (
          <span aria-hidden className="size-2 animate-pulse-dot rounded-full bg-danger" />
        )}
        <span role="status" className="sr-only sm:not-sr-only">
          {t(paused ? 'meeting.recording-paused' : 'meeting.recording-runs')}
        </span>
        {recordedMs !== null && (
          <span role="timer" aria-label={t('meeting.recorded-so-far')} className="tabular-nums">
            {clockText(recordedMs / 1000)}
          </span>
        )}
      </span>
      {onPause && (
        <IconButton
          label={t(paused ? 'meeting.recording-resume' : 'meeting.recording-pause')}
          onClick={() => onPause(!paused)}
        >
          {paused ? <Play className="size-4.5" /> : <Pause className="size-4.5" />}
        </IconButton>
      )}
    </span>
  )
}
