import { useQuery } from '@tanstack/react-query'
import { VideoOff } from 'lucide-react'
import { useRef, useState } from 'react'
import { t } from '../../languages/texts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { EventList } from '../sessions/event-list.tsx'
import { eventText } from '../sessions/event-text.ts'
import { Lanes } from '../sessions/lanes.tsx'
import { momentAt, positionOf, recordedSpans } from '../sessions/recording-time.ts'
import { wholeSession } from '../sessions/session-queries.ts'
import { type Span, timelineOf } from '../sessions/timeline.ts'
import { marksOf, secondsOf } from './marks.ts'
import type { FoundRecording } from './recording-queries.ts'

/** The player of a recording, with marks, lanes and events of its session in step. */
export function MarkedPlayer({ recording }: { recording: FoundRecording }) {
  const { client } = useDashboard()
  const { data: whole } = useQuery(wholeSession(client, recording.room_session_id))
  const [moment, setMoment] = useState<number | null>(null)
  const player = useRef<HTMLVideoElement>(null)
  // A new answer has another link to the same file: playing goes on with the first.
  const [uri] = useState(recording.uri)
  const source = uri ?? recording.uri
  const events = whole?.events ?? []
  const spans = spansOf(recording, events)

  function goTo(time: number): void {
    setMoment(time)
    const position = positionOf(spans, time)
    if (player.current && position !== null) player.current.currentTime = position
  }

  return (
    <div className="space-y-5">
      <Card title={t('recordings.recording')}>
        {source === null ? (
          <EmptyState
            icon={<VideoOff className="size-6" />}
            title={t('recordings.nothing-to-play')}
            hint={t('recordings.nothing-to-play-hint')}
          />
        ) : (
          <>
            {/* biome-ignore lint/a11y/useMediaCaption: nobody has written captions for a meeting */}
            <video
              ref={player}
              src={source}
              poster={recording.poster_uri ?? undefined}
              controls
              playsInline
              preload="metadata"
              aria-label={t('recordings.recording')}
              onTimeUpdate={({ currentTarget }) => setMoment(momentAt(spans, currentTarget.currentTime))}
              className="aspect-video max-h-[60dvh] w-full rounded-md bg-stage"
            />
            <Marks events={events} spans={spans} onPick={goTo} />
          </>
        )}
      </Card>
      {whole && (
        <>
          <Card title={t('recordings.people')}>
            <Lanes
              timeline={timelineOf(events, endOf(whole.session.end_time))}
              qualities={whole.qualities}
              recorded={spans}
              moment={moment}
              onPick={goTo}
            />
          </Card>
          <Card title={t('recordings.events')}>
            <EventList events={events} moment={moment} onPick={goTo} />
          </Card>
        </>
      )}
    </div>
  )
}

interface MarksProps {
  events: Parameters<typeof marksOf>[0]
  spans: readonly Span[]
  onPick: (moment: number) => void
}

/** Who joined, left, shared, raised a hand, and layouts, along the time of the recording. The list below is for the keyboard. */
function Marks({ events, spans, onPick }: MarksProps) {
  return (
    <div
      aria-hidden
      dir="ltr"
      onClick={({ currentTarget, clientX }) => {
        const { left, width } = currentTarget.getBoundingClientRect()
        const picked = momentAt(spans, ((clientX - left) / width) * secondsOf(spans))
        if (picked !== null) onPick(picked)
      }}
      className="relative mt-2 h-4 cursor-pointer overflow-hidden rounded-sm bg-sunken"
    >
      {marksOf(events, spans).map(({ event, part, look }) => (
        <span
          key={event.id}
          data-mark={event.name}
          title={eventText(event)}
          className={`absolute inset-y-0 w-1 rounded-sm ${look}`}
          style={{ left: `calc(${part * 100}% - ${part * 4}px)` }}
        />
      ))}
    </div>
  )
}

const endOf = (time: string | null): number => (time === null ? Date.now() : Date.parse(time))

function spansOf({ id, started_at, finished_at }: FoundRecording, events: MarksProps['events']): Span[] {
  const end = endOf(finished_at)
  return recordedSpans(id, started_at === null ? end : Date.parse(started_at), end, events)
}
