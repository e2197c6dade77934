import { retryDelayMs } from './return-plan.ts'

/**
 * Asks after the server while the client has lost its socket, and once more when the socket is back: a server that starts
 * fast has its sockets back between two questions. Pure: `server-watch.ts` carries it out. Time and chance are passed in.
 */
export interface WatchState {
  /** Which run of the server the call is with; null while that is not known. */
  run: string | null
  isWatching: boolean
  /** Counts the watches, so that an answer to an earlier one is dropped. */
  turn: number
  /** Questions without an answer that settled it, since the watch began. */
  attempts: number
  socketBack: boolean
  /** Whether the next question has its time; otherwise one is under way, or none is due. */
  isWaiting: boolean
}

export type WatchEvent =
  | { kind: 'remember'; run: string | null }
  /** The socket dropped. */
  | { kind: 'begin' }
  /** The socket is back. It may lead to another run of the server. */
  | { kind: 'socket-back' }
  /** Nobody needs to know any more. */
  | { kind: 'end' }
  | { kind: 'try-now' }
  /** The time of the next question has come. */
  | { kind: 'due' }
  /** The server answered, or did not (`run` is null). */
  | { kind: 'answer'; turn: number; run: string | null; nowMs: number; random: number }

export type WatchEffect =
  /** Asks the server which run it is; the answer comes with this `turn`. */
  | { do: 'ask'; turn: number }
  | { do: 'wait'; delayMs: number }
  | { do: 'stop-waiting' }
  /** The server was started anew: it knows nothing of the call. */
  | { do: 'tell-restarted' }
  /** The server does not answer, and is asked again then (Unix milliseconds). Null: it answers. */
  | { do: 'tell-away'; tryAtMs: number | null }

const longestDelayMs = 3_000

/** Nothing is watched. */
export const initialWatch: WatchState = {
  run: null,
  isWatching: false,
  turn: 0,
  attempts: 0,
  socketBack: false,
  isWaiting: false,
}

type Step = readonly [WatchState, readonly WatchEffect[]]

/** What an event makes of a watch, and what is to be done, in that order. */
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
