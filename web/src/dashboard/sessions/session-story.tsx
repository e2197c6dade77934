import { useRef, useState } from 'react'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Select } from '../../ui/select.tsx'
import { Card } from '../card.tsx'
import { EventList } from './event-list.tsx'
import { Lanes } from './lanes.tsx'
import { QualityCard } from './quality-card.tsx'
import { momentAt, positionOf, recordedSpans } from './recording-time.ts'
import type { Recording, WholeSession } from './session-queries.ts'
import { timelineOf } from './timeline.ts'

/** The lanes, the events, and a player that is in step with both. */
export function SessionStory({ whole: { session, events, recordings, qualities } }: { whole: WholeSession }) {
  const end = session.end_time === null ? Date.now() : Date.parse(session.end_time)
  const timeline = timelineOf(events, end)
  const playable = recordings.filter(({ status, uri }) => status === 'completed' && uri !== null)
  const [chosen, choose] = useState<string | null>(null)
  const [moment, setMoment] = useState<number | null>(null)
  const player = useRef<HTMLVideoElement>(null)
  const recording = playable.find(({ id }) => id === chosen) ?? playable[0]
  const spans = recording ? spansOf(recording, events, end) : []

  function goTo(time: number): void {
    setMoment(time)
    const position = positionOf(spans, time)
    if (player.current && position !== null) player.current.currentTime = position
  }

  return (
    <div className="space-y-5">
      {recording?.uri && (
        <Card
          title={t('dashboard.recording')}
          aside={
            playable.length > 1 && (
              <div className="w-56">
                <Select
                  label={t('dashboard.recording')}
                  labelHidden
                  value={recording.id}
                  options={playable.map(({ id, started_at }) => ({
                    value: id,
                    label: dateText(started_at ?? end, { timeStyle: 'medium' }),
                  }))}
                  onChange={choose}
                />
              </div>
            )
          }
        >
          {/* biome-ignore lint/a11y/useMediaCaption: nobody has written captions for it */}
          <video
            ref={player}
            src={recording.uri}
            aria-label={t('dashboard.recording')}
            controls
            preload="metadata"
            playsInline
            onTimeUpdate={({ currentTarget }) => setMoment(momentAt(spans, currentTarget.currentTime))}
            className="aspect-video max-h-96 w-full rounded-md bg-stage"
          />
        </Card>
      )}
      <Card title={t('dashboard.people')}>
        <Lanes timeline={timeline} qualities={qualities} recorded={spans} moment={moment} onPick={goTo} />
      </Card>
      <QualityCard qualities={qualities} lanes={timeline.lanes} />
      <Card title={t('dashboard.events')}>
        <EventList events={events} moment={moment} onPick={goTo} />
      </Card>
    </div>
  )
}

function spansOf(recording: Recording, events: WholeSession['events'], end: number) {
  const from = recording.started_at === null ? end : Date.parse(recording.started_at)
  const to = recording.finished_at === null ? end : Date.parse(recording.finished_at)
  return recordedSpans(recording.id, from, to, events)
}
