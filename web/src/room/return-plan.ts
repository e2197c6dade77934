import type { ErrorText } from '../api/error-text.ts'

/**
 * The plan for the return into an interrupted meeting. Time and random numbers are passed in. The first attempts of all
 * clients are spread over a time that grows with the number of people in the room, so that they do not all come back at
 * once. Each further attempt waits longer.
 */
export type ReturnPlan =
  | (Course & { is: 'waiting'; tryAtMs: number; problem: ErrorText | null })
  | (Course & { is: 'trying' })
  /** The person has to decide: the return took too long, or the room refused. */
  | (Course & { is: 'stopped'; problem: ErrorText })

interface Course {
  beganAtMs: number
  /** Attempts so far. */
  attempts: number
  /** Number of people in the room when it was interrupted. */
  people: number
}

export type ReturnEvent =
  | { kind: 'time'; nowMs: number }
  /** The person decided not to wait. */
  | { kind: 'join-now'; nowMs: number }
  /** The network of this device is back. */
  | { kind: 'online'; nowMs: number; random: number }
  | { kind: 'failed'; failure: ReturnFailure; nowMs: number; random: number }

export interface ReturnFailure {
  /** Whether another attempt may go better. */
  retry: boolean
  text: ErrorText
}

/** Average time between the returns of two people of one room. */
const perPersonMs = 30
const firstRetryMs = 500
const longestRetryMs = 10_000
const onlineSpreadMs = 500
/** After this time the person has probably walked away. Cameras are switched off, and a button to return is shown. */
export const giveUpAfterMs = 5 * 60_000

/** @param random from 0 to 1 */
export function beginReturn({ nowMs, random, people }: { nowMs: number; random: number; people: number }) {
  const tryAtMs = nowMs + random * spreadMs(people)
  return { is: 'waiting', beganAtMs: nowMs, attempts: 0, people, tryAtMs, problem: null } satisfies ReturnPlan
}

/** Returns the next plan for an event. It is the same object if the event changes nothing. */
export function nextReturn(plan: ReturnPlan, event: ReturnEvent): ReturnPlan {
  switch (event.kind) {
    case 'time':
      return plan.is === 'waiting' && event.nowMs >= plan.tryAtMs ? attempt(plan) : plan
    case 'join-now':
      if (plan.is === 'waiting') return attempt(plan)
      return plan.is === 'stopped' ? attempt({ ...plan, beganAtMs: event.nowMs, attempts: 0 }) : plan
    case 'online': {
      if (plan.is !== 'waiting') return plan
      return { ...plan, tryAtMs: Math.min(plan.tryAtMs, event.nowMs + event.random * onlineSpreadMs) }
    }
    case 'failed':
      return plan.is === 'trying' ? afterFailure(plan, event) : plan
  }
}

/**
 * How long to wait before the next attempt. The delay doubles with each failed attempt, and a part of it is random.
 * @param attempts failed attempts, 1 or more
 */
export function retryDelayMs(attempts: number, random: number, people = 0): number {
  const backOffMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (attempts - 1))
  return Math.max(backOffMs, spreadMs(people)) * (0.5 + random / 2)
}

function afterFailure(
  { beganAtMs, attempts, people }: ReturnPlan,
  { failure, nowMs, random }: Extract<ReturnEvent, { kind: 'failed' }>,
): ReturnPlan {
  const course = { beganAtMs, attempts, people }
  const tooLate = nowMs - beganAtMs >= giveUpAfterMs
  if (!failure.retry || tooLate) return { ...course, is: 'stopped', problem: failure.text }
  const tryAtMs = nowMs + retryDelayMs(attempts, random, people)
  return { ...course, is: 'waiting', tryAtMs, problem: failure.text }
}

function attempt({ beganAtMs, attempts, people }: ReturnPlan): ReturnPlan {
  return { is: 'trying', beganAtMs, attempts: attempts + 1, people }
}

const spreadMs = (people: number) => Math.min(longestRetryMs, people * perPersonMs)
