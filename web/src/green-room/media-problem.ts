import { t } from '../languages/texts.ts'

/** Cameras and microphones fail in the same ways. Only the texts differ. */
export type DeviceKind = 'camera' | 'microphone'

/** Why this device gives no picture or no sound. */
export type MediaProblem = 'denied' | 'missing' | 'in-use' | 'insecure' | 'failed'

/** @param error what `getUserMedia` rejected with; see Media Capture and Streams, 10.2 */
export function mediaProblem(error: unknown): MediaProblem {
  const name = error instanceof Error ? error.name : ''
  switch (name) {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'denied'
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'missing'
    case 'NotReadableError':
    case 'AbortError':
      return 'in-use'
    case 'TypeError':
      return 'insecure'
    default:
      return 'failed'
  }
}

/** A text for the person: what happened, and what to do. */
export function mediaProblemText(kind: DeviceKind, problem: MediaProblem): { title: string; hint: string } {
  return {
    title: t(`guest.${kind}-${problem}`),
    hint: t(problem === 'insecure' ? 'guest.insecure-hint' : `guest.${kind}-${problem}-hint`),
  }
}

/** What the browser remembers about a permission; `unknown` if the browser does not say. */
export type Permission = 'granted' | 'denied' | 'prompt' | 'unknown'

/**
 * A request for both devices fails as a whole if one of them is refused or missing. This returns the devices to ask for
 * again, one at a time. If the person may only have dismissed the question, the page does not ask again: repeated
 * questions annoy.
 * @param problem of the request for both
 */
export function askAgainAlone(
  problem: MediaProblem,
  permissions: Record<DeviceKind, Permission>,
): readonly DeviceKind[] {
  const both = ['camera', 'microphone'] as const
  if (problem === 'insecure') return []
  if (problem !== 'denied') return both
  const oneIsDenied = both.some((kind) => permissions[kind] === 'denied')
  return both.filter((kind) =>
    permissions[kind] === 'granted' ? true : oneIsDenied && permissions[kind] === 'prompt',
  )
}
