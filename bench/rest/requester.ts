/**
 * Whoever waits for answers, in a process of its own that does nothing else, so that no work of the bench is counted as
 * the server's. Answers each request over IPC with its id.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Window } from './requester-process.ts'

const CONNECTIONS = 8

const agent = new Agent({ connections: CONNECTIONS })

async function get({ url, authorization }: Window): Promise<void> {
  const { statusCode, body } = await request(url, { dispatcher: agent, headers: { authorization } })
  await body.dump()
  if (statusCode !== 200) throw new Error(`${url}: ${statusCode}`)
}

/** @returns milliseconds that one in a hundred requests takes longer than */
async function p99OfWindow(window: Window): Promise<number> {
  const { requestsPerSecond, seconds } = window
  const times = new Float64Array(requestsPerSecond * seconds)
  const answered: Promise<void>[] = []
  // What this process has collected as garbage before, it need not while it measures.
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

process.on('message', (message) => {
  const { id, request } = message as { id: number; request: Window }
  p99OfWindow(request).then(
    (result) => process.send?.({ id, result }),
    (error: Error) => process.send?.({ id, error: error.message }),
  )
})
