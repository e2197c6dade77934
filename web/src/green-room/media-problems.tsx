import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import type { LocalMediaSnapshot } from './local-media.ts'
import { type DeviceKind, mediaProblemText } from './media-problem.ts'

interface MediaProblemsProps {
  state: LocalMediaSnapshot
  onRetry: (kind: DeviceKind) => void
}

/** Shows the problems with camera and microphone, and a button to try again. */
export function MediaProblems({ state, onRetry }: MediaProblemsProps) {
  return (['camera', 'microphone'] as const).map((kind) => {
    const device = state[kind]
    if (device.is !== 'problem') return null
    const text = mediaProblemText(kind, device.problem)
    return (
      <Notice key={kind} tone="warning" title={text.title} hint={text.hint}>
        {device.problem !== 'insecure' && (
          <Button size="small" onClick={() => onRetry(kind)}>
            {t('guest.try-again')}
          </Button>
        )}
      </Notice>
    )
  })
}
