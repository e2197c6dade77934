import { ApiError } from '../../api/api-error.ts'
import type { StreamEvent } from '../../api/event-stream.ts'
import type { DashboardAccess } from '../dashboard-context.tsx'

/** Waits between attempts to read the stream, in milliseconds. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/**
 * Reads an event stream, and opens it again when it has ended, until `signal` aborts or the credentials are refused.
 * @param onState is told whether the stream comes
 */
export async function followStream(
  readStream: DashboardAccess['readStream'],
  path: string,
  onEvent: (event: StreamEvent) => void,
  onState: (isCurrent: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  let lastId: string | null = null
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    const ended = await readStream(
      path,
      lastId,
      (event) => {
        lastId = event.lastId
        waitMs = FIRST_WAIT_MS
        onState(true)
        onEvent(event)
      },
      signal,
    ).then(
      () => null,
      (error: unknown) => error,
    )
    if (signal.aborted) return
    // The requests of the screens say that the credentials are refused.
    if (ended instanceof ApiError && (ended.status === 401 || ended.status === 403)) return onState(false)
    if (ended !== null) onState(false)
    await waited(ended === null ? FIRST_WAIT_MS : waitMs, signal)
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)
  }
}

function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
