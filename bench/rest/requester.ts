/**
 * Sends the requests and waits for the answers. It is a separate process that does nothing else, so that the bench's
 * own work does not count as the server's. It answers each request over IPC with the request's id.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { answerRequests } from '../answer-requests.ts'
import type { Window } from './requester-process.ts'

const CONNECTIONS = 8

const agent = new Agent({ connections: CONNECTIONS })

async function get({ url, authorization }: Window): Promise<void> {
  const { statusCode, body } = await request(url, { dispatcher: agent, headers: { authorization } })
  await body.dump()
  if (statusCode !== 200) throw new Error(`${url}: ${statusCode}`)
}

/** @returns the 99th percentile in milliseconds */
async function p99OfWindow(window: Window): Promise<number> {
  const { requestsPerSecond, seconds } = window
  const times = new Float64Array(requestsPerSecond * seconds)
  const answered: Promise<void>[] = []
  // A collection before the window, so that none is necessary during it.
  globalThis.gc?.()
  const startMs = performance.now()
  for (let i = 0; i < times.length; i++) {
    const waitMs = startMs + (i * 1000) / requestsPerSecond - performance.now()
    if (waitMs > 0) await delay(waitMs)
    const sentMs = performance.now()
    const answer = get(window)
    answered.push(
      answer.then(() => {
        times[i] = performance.now() - sentMs
      }),
    )
  }
  await Promise.all(answered)
  return times.sort()[Math.floor(times.length * 0.99)] ?? Number.NaN
}

answerRequests(p99OfWindow)
