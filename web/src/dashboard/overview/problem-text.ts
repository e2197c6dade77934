import type { TextId } from '../../languages/catalogs.ts'
import { t } from '../../languages/texts.ts'
import type { Problem } from '../dashboard-queries.ts'

const TEXTS: Readonly<Partial<Record<Problem['name'], TextId>>> = {
  'room.ended': 'dashboard.problem-room-ended',
  'recording.completed': 'dashboard.problem-recording-cut',
  'recording.ended': 'dashboard.problem-recording-cut',
  'recording.failed': 'dashboard.problem-recording-failed',
  'recording.refused': 'dashboard.problem-recording-refused',
  'stream.interrupted': 'dashboard.problem-stream-interrupted',
  'history.mended': 'dashboard.problem-history-mended',
}

/** What a problem was, in a sentence. One that this page does not know has its name. */
export function problemText({ name }: Pick<Problem, 'name'>): string {
  const id = TEXTS[name]
  return id ? t(id) : t('dashboard.problem-other', { name })
}
