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
  const without = kind === 'camera' ? 'without a camera' : 'without a microphone'
  switch (problem) {
    case 'denied':
      return {
        title: `The browser does not let this page use your ${kind}`,
        hint: `Allow it beside the address bar, then try again. You can also join ${without}.`,
      }
    case 'missing':
      return {
        title: `No ${kind} was found`,
        hint: `Connect one and try again, or join ${without}.`,
      }
    case 'in-use':
      return {
        title: `Your ${kind} is in use by another program`,
        hint: `Close that program and try again, or join ${without}.`,
      }
    case 'insecure':
      return {
        title: `This page cannot use your ${kind}, because its address is not secure`,
        hint: 'Open this page with https:// in front of its address.',
      }
    default:
      return { title: `Your ${kind} did not start`, hint: `Try again, or join ${without}.` }
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
