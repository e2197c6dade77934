import type { TextId } from '../../languages/catalogs.ts'
import type { FoundRecording } from './recording-queries.ts'

/** The states that the list can be filtered by, with their texts. */
export const STATES = {
  recording: 'recordings.state-recording',
  paused: 'recordings.state-paused',
  processing: 'recordings.state-processing',
  completed: 'recordings.state-completed',
} as const satisfies Record<string, TextId>

/** The state of a recording in words. A completed one without media has failed. */
export function stateText({ status, size_in_bytes }: FoundRecording): TextId {
  if (status === 'completed' && !size_in_bytes) return 'recordings.state-failed'
  return STATES[status ?? 'completed']
}

/** Whether it is over, so that it can be deleted. */
export const isOver = ({ status }: FoundRecording): boolean => status === 'completed'
