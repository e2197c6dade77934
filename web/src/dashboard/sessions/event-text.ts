import type { TextId } from '../../languages/catalogs.ts'
import { t } from '../../languages/texts.ts'
import type { SessionEvent } from './session-queries.ts'

const TEXTS: Readonly<Partial<Record<SessionEvent['name'], TextId>>> = {
  'room.started': 'dashboard.event-room-started',
  'room.ended': 'dashboard.event-room-ended',
  'room.updated': 'dashboard.event-room-updated',
  'member.joined': 'dashboard.event-member-joined',
  'member.left': 'dashboard.event-member-left',
  'member.lost': 'dashboard.event-member-lost',
  'member.back': 'dashboard.event-member-back',
  'member.promoted': 'dashboard.event-member-promoted',
  'member.demoted': 'dashboard.event-member-demoted',
  'layout.changed': 'dashboard.event-layout-changed',
  'recording.started': 'dashboard.event-recording-started',
  'recording.paused': 'dashboard.event-recording-paused',
  'recording.resumed': 'dashboard.event-recording-resumed',
  'recording.ended': 'dashboard.event-recording-ended',
  'recording.completed': 'dashboard.event-recording-completed',
  'recording.expired': 'dashboard.event-recording-expired',
  'recording.failed': 'dashboard.problem-recording-failed',
  'recording.refused': 'dashboard.problem-recording-refused',
  'stream.started': 'dashboard.event-stream-started',
  'stream.interrupted': 'dashboard.problem-stream-interrupted',
  'stream.ended': 'dashboard.event-stream-ended',
  'playback.started': 'dashboard.event-playback-started',
  'playback.ended': 'dashboard.event-playback-ended',
  'history.mended': 'dashboard.problem-history-mended',
}
/** What the change of a setting of somebody means, by its name and value. */
const CHANGES: Readonly<Record<string, TextId>> = {
  'audio_muted true': 'dashboard.event-muted',
  'audio_muted false': 'dashboard.event-unmuted',
  'video_muted true': 'dashboard.event-camera-off',
  'video_muted false': 'dashboard.event-camera-on',
  'handraised true': 'dashboard.event-hand-raised',
  'handraised false': 'dashboard.event-hand-lowered',
}

/** What happened, in a sentence. An event that this page does not know has its name. */
export function eventText({ name, payload }: Pick<SessionEvent, 'name' | 'payload'>): string {
  const said = payload as {
    name?: string
    type?: string
    layout_name?: string
    changed?: Record<string, unknown>
  }
  const values = { name: said.name || t('dashboard.somebody'), layout: said.layout_name ?? '' }
  if (name === 'member.updated') {
    const changes = Object.entries(said.changed ?? {}).flatMap(
      ([key, value]) => CHANGES[`${key} ${value}`] ?? [],
    )
    const [first = 'dashboard.event-member-updated', ...others] = changes
    return [first, ...others].map((id) => t(id, values)).join(' · ')
  }
  if (said.type === 'screen' && name === 'member.joined') return t('dashboard.event-share-started', values)
  if (said.type === 'screen' && name === 'member.left') return t('dashboard.event-share-ended', values)
  const id = TEXTS[name]
  return id ? t(id, values) : t('dashboard.problem-other', { name })
}
