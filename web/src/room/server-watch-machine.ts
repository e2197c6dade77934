import { retryDelayMs } from './return-plan.ts'

/**
 * Asks the server for its run while the client has lost its socket, and once more when the socket is back. The second
 * question is necessary because a server that restarts fast has its sockets back between two questions. Pure:
 * `server-watch.ts` carries out the effects. Time and random numbers are passed in.
 */
export interface WatchState {
  /** The run of the server that the call belongs to; null while it is not known. */
  run: string | null
  isWatching: boolean
  /** Counts the watches, so that an answer to an earlier watch is dropped. */
  turn: number
  /** Questions since the watch began that got no conclusive answer. */
  attempts: number
  socketBack: boolean
  /** Whether a timer runs for the next question. If not, a question is under way, or none is due. */
  isWaiting: boolean
}

export type WatchEvent =
  | { kind: 'remember'; run: string | null }
  /** The socket dropped. */
  | { kind: 'begin' }
  /** The socket is back. It may belong to another run of the server. */
  | { kind: 'socket-back' }
  /** The answer is no longer needed. */
  | { kind: 'end' }
  | { kind: 'try-now' }
  /** The timer of the next question has fired. */
  | { kind: 'due' }
  /** The server answered, or did not (`run` is null). */
  | { kind: 'answer'; turn: number; run: string | null; nowMs: number; random: number }

export type WatchEffect =
  /** Ask the server for its run. The answer carries this `turn`. */
  | { do: 'ask'; turn: number }
  | { do: 'wait'; delayMs: number }
  | { do: 'stop-waiting' }
  /** The server has restarted: it does not know the call. */
  | { do: 'tell-restarted' }
  /** The server does not answer. The next question is at `tryAtMs` (Unix milliseconds). Null: the server answers. */
  | { do: 'tell-away'; tryAtMs: number | null }

const longestDelayMs = 3_000

/** The state while nothing is watched. */
export const initialWatch: WatchState = {
  run: null,
  isWatching: false,
  turn: 0,
  attempts: 0,
  socketBack: false,
  isWaiting: false,
}

type Step = readonly [WatchState, readonly WatchEffect[]]

/** Returns the next state for an event, and then the effects to carry out. */
export function nextWatch(state: WatchState, event: WatchEvent): Step {
  switch (event.kind) {
    case 'remember':
      return [{ ...state, run: event.run }, []]
    case 'begin':
      if (state.isWatching) return [{ ...state, socketBack: false }, []]
      return ask({ ...state, isWatching: true, turn: state.turn + 1, attempts: 0, socketBack: false })
    case 'socket-back':
      return state.isWatching ? ask({ ...state, turn: state.turn + 1, socketBack: true }) : [state, []]
    case 'end':
      return state.isWatching ? end(state) : [state, []]
    case 'try-now':
      return state.isWaiting ? ask(state) : [state, []]
    case 'due':
      return state.isWaiting ? ask(state) : [state, []]
    case 'answer':
      return event.turn === state.turn ? answered(state, event) : [state, []]
  }
}

function ask(state: WatchState): Step {
  const stop: WatchEffect[] = state.isWaiting ? [{ do: 'stop-waiting' }] : []
  return [{ ...state, isWaiting: false }, [...stop, { do: 'ask', turn: state.turn }]]
}

function end(state: WatchState): Step {
  const stop: WatchEffect[] = state.isWaiting ? [{ do: 'stop-waiting' }] : []
  return [
    { ...state, isWatching: false, isWaiting: false, turn: state.turn + 1 },
    [...stop, { do: 'tell-away', tryAtMs: null }],
  ]
}

function answered(state: WatchState, { run, nowMs, random }: Extract<WatchEvent, { kind: 'answer' }>): Step {
  if (run !== null && state.run !== null && run !== state.run) return [state, [{ do: 'tell-restarted' }]]
  if (run !== null && state.socketBack) return end(state)
  const attempts = state.attempts + 1
  const delayMs = Math.min(longestDelayMs, retryDelayMs(attempts, random))
  return [
    { ...state, attempts, isWaiting: true },
    [
      { do: 'tell-away', tryAtMs: run === null ? nowMs + delayMs : null },
      { do: 'wait', delayMs },
    ],
  ]
}
