/**
 * Decides when the own screen is shared, and when its capture has to stop. Pure: `screen-share.ts` carries out the
 * effects and holds the capture.
 */
export interface ScreenShareState {
  is: 'off' | 'starting' | 'on'
  /** Number of the latest attempt. Answers to earlier ones only have their capture stopped. */
  attempt: number
  /** The meeting is over: nothing starts any more. */
  isOver: boolean
}

export type ScreenShareEvent =
  // From the person, and from the meeting.
  | { kind: 'start' }
  | { kind: 'stop' }
  | { kind: 'over' }
  // From the browser.
  /** The person picked what to share. */
  | { kind: 'captured'; attempt: number }
  /** The person stopped the capture in the browser's own bar, or closed the shared window. */
  | { kind: 'capture-ended'; attempt: number }
  // From the client.
  | { kind: 'shared'; attempt: number }
  /** @property error what the browser or the server refused with */
  | { kind: 'failed'; attempt: number; error: unknown }
  /** The room ended the share, or the client did after the capture ended. */
  | { kind: 'ended'; attempt: number }

export type ScreenShareEffect =
  /** Have the browser ask what to share. The answers carry this number. */
  | { do: 'share'; attempt: number }
  /** End the share in the room, and stop its capture. */
  | { do: 'end-share'; attempt: number }
  | { do: 'stop-capture'; attempt: number }
  | { do: 'show'; is: ScreenShareState['is'] }
  | { do: 'tell-refused'; error: unknown }

/** The state before anything is shared. */
export const initialScreenShare: ScreenShareState = { is: 'off', attempt: 0, isOver: false }

type Step = readonly [ScreenShareState, readonly ScreenShareEffect[]]

/** Returns the next state for an event, and then the effects to carry out. */
export function nextScreenShare(state: ScreenShareState, event: ScreenShareEvent): Step {
  const { is, attempt } = state
  switch (event.kind) {
    case 'start': {
      if (state.isOver || is !== 'off') return [state, []]
      const next = { ...state, is: 'starting', attempt: attempt + 1 } as const
      return [next, [show(next), { do: 'share', attempt: next.attempt }]]
    }
    case 'stop':
      return is === 'on' ? turnedOff(state, { do: 'end-share', attempt }) : [state, []]
    case 'over':
      // The end of the call also ends the share in the room.
      return [{ ...state, is: 'off', isOver: true }, is === 'off' ? [] : [{ do: 'stop-capture', attempt }]]
    case 'captured':
      return isStarting(state, event)
        ? [state, []]
        : [state, [{ do: 'stop-capture', attempt: event.attempt }]]
    case 'capture-ended':
      // While the share is on, the client ends it by itself. It cannot do so earlier.
      return isStarting(state, event) ? turnedOff(state) : [state, []]
    case 'shared': {
      if (!isStarting(state, event)) return [state, [{ do: 'end-share', attempt: event.attempt }]]
      const next = { ...state, is: 'on' } as const
      return [next, [show(next)]]
    }
    case 'failed':
      return failed(state, event)
    case 'ended':
      return is === 'on' && event.attempt === attempt
        ? turnedOff(state, { do: 'stop-capture', attempt })
        : [state, []]
  }
}

const show = ({ is }: ScreenShareState): ScreenShareEffect => ({ do: 'show', is })

const isStarting = ({ is, attempt }: ScreenShareState, event: { attempt: number }): boolean =>
  is === 'starting' && event.attempt === attempt

function turnedOff(state: ScreenShareState, ...effects: readonly ScreenShareEffect[]): Step {
  const next = { ...state, is: 'off' } as const
  return [next, [show(next), ...effects]]
}

function failed(
  state: ScreenShareState,
  { attempt, error }: Extract<ScreenShareEvent, { kind: 'failed' }>,
): Step {
  const stop = { do: 'stop-capture', attempt } as const
  if (!isStarting(state, { attempt })) return [state, [stop]]
  // If the person closes the browser's own dialogue, that is no failure.
  const isDismissed = error instanceof DOMException && error.name === 'NotAllowedError'
  return turnedOff(state, stop, ...(isDismissed ? [] : [{ do: 'tell-refused', error } as const]))
}
