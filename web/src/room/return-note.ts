import type { ErrorText } from '../api/error-text.ts'
import { t } from '../languages/texts.ts'
import type { Interruption } from './interruption.ts'

/**
 * The message for somebody who has returned.
 * @param recording whether the meeting is being recorded now
 */
export function returnNote(
  from: Pick<Interruption, 'wasRecording' | 'wasSharing'>,
  { forAll, recording }: { forAll: boolean; recording: boolean },
): ErrorText {
  const lost = [
    from.wasRecording && !recording && t('meeting.recording-lost'),
    from.wasSharing && t('meeting.share-lost'),
  ].filter(Boolean)
  return {
    title: forAll ? t('meeting.goes-on') : t('meeting.you-are-back'),
    hint: lost.join(' '),
  }
}
