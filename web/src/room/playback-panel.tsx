import { Pause, Play, RotateCcw, RotateCw, Square, Volume2 } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { clockText, numberText } from '../languages/formats.ts'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Slider } from '../ui/slider.tsx'
import { allowedIn } from './allowed.ts'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import { linkProblem, linkTitle, type MeetingPlayback, positionAt } from './playback-state.ts'

/** How far the buttons beside the seek bar go, in milliseconds. */
const skipMs = 10_000
const loudest = 50

/** A field for a link, and what plays in the room. */
export function PlaybackPanel({ meeting, state }: { meeting: Meeting; state: MeetingState }) {
  const { seek } = allowedIn(state)
  return (
    <div className="space-y-4">
      <LinkForm play={(url) => meeting.media.play(url)} />
      {state.playbacks.length === 0 ? (
        <p className="text-sm text-ink-soft">{t('meeting.nothing-plays')}</p>
      ) : (
        <ul aria-label={t('meeting.what-plays')} className="space-y-3">
          {state.playbacks.map((playback) => (
            <PlaybackRow key={playback.id} meeting={meeting} playback={playback} maySeek={seek} />
          ))}
        </ul>
      )}
    </div>
  )
}

function LinkForm({ play }: { play: (url: string) => Promise<boolean> }) {
  const [link, setLink] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    const wrong = linkProblem(link)
    setProblem(wrong)
    if (wrong || busy) return
    setBusy(true)
    const plays = await play(link.trim())
    setBusy(false)
    if (plays) setLink('')
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="space-y-3">
      <Field
        label={t('meeting.link-to-play')}
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://"
        dir="ltr"
        hint={t('meeting.link-to-play-hint')}
        value={link}
        error={problem}
        onChange={(event) => {
          setLink(event.target.value)
          setProblem(null)
        }}
      />
      <Button kind="primary" type="submit" busy={busy} className="w-full">
        <Play aria-hidden className="size-4.5" />
        {t('meeting.play-for-everybody')}
      </Button>
    </form>
  )
}

interface PlaybackRowProps {
  meeting: Meeting
  playback: MeetingPlayback
  maySeek: boolean
}

function PlaybackRow({ meeting: { media }, playback, maySeek }: PlaybackRowProps) {
  const { id, url, paused, volume, seekable, lengthMs } = playback
  const position = usePosition(playback)
  const title = linkTitle(url)
  const seekTo = (ms: number) => void media.seekPlayback(id, Math.max(0, Math.round(ms)))
  return (
    <li aria-label={title} className="rounded-md border border-line p-3">
      <p className="truncate text-sm font-medium" title={url}>
        {title}
      </p>
      <div className="mt-1 flex items-center gap-1">
        <IconButton
          label={t(paused ? 'meeting.playback-resume' : 'meeting.playback-pause', { title })}
          aria-pressed={paused}
          onClick={() => void media.pausePlayback(id, !paused)}
        >
          {paused ? <Play className="size-4.5" /> : <Pause className="size-4.5" />}
        </IconButton>
        <IconButton label={t('meeting.playback-stop', { title })} onClick={() => void media.stopPlayback(id)}>
          <Square className="size-4.5" />
        </IconButton>
        {seekable && maySeek && (
          <>
            <IconButton
              label={t('meeting.seconds-back', { seconds: skipMs / 1000 })}
              onClick={() => seekTo(position - skipMs)}
            >
              <RotateCcw className="size-4.5" />
            </IconButton>
            <IconButton
              label={t('meeting.seconds-forward', { seconds: skipMs / 1000 })}
              onClick={() => seekTo(position + skipMs)}
            >
              <RotateCw className="size-4.5" />
            </IconButton>
          </>
        )}
        <span className="ms-auto text-sm text-ink-soft tabular-nums">
          {clockText(position / 1000)}
          {lengthMs !== null && ` / ${clockText(lengthMs / 1000)}`}
        </span>
      </div>
      {seekable && maySeek && lengthMs !== null && (
        <Slider
          label={t('meeting.playback-position', { title })}
          value={position}
          min={0}
          max={lengthMs}
          step={1000}
          text={clockText(position / 1000)}
          onCommit={seekTo}
        />
      )}
      <div className="flex items-center gap-3">
        <Volume2 aria-hidden className="size-4.5 shrink-0 text-ink-soft" />
        <Slider
          label={t('meeting.playback-volume', { title })}
          value={volume}
          min={-loudest}
          max={loudest}
          step={5}
          text={volume === 0 ? t('meeting.volume-as-is') : numberText(volume, { signDisplay: 'always' })}
          onCommit={(next) => void media.setPlaybackVolume(id, next)}
        />
      </div>
    </li>
  )
}

/** The position now, in milliseconds. It moves while the playback runs. */
function usePosition(playback: MeetingPlayback): number {
  const [now, setNow] = useState(() => performance.now())
  const { paused } = playback
  useEffect(() => {
    if (paused) return
    const timer = setInterval(() => setNow(performance.now()), 500)
    return () => clearInterval(timer)
  }, [paused])
  return positionAt(playback, Math.max(now, playback.toldAtMs))
}
