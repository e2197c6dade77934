import { expect } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import type { Deployment } from '../testing/use-deployment.ts'
import { codes, readiness } from './readiness.ts'

/** Options of a server on a faulty disk: one media worker, no reserve of space, sessions that end at once. */
export const SERVER_ON_BAD_DISK = {
  PARLEY_MEDIA_WORKERS: '1',
  PARLEY_MIN_FREE_MB: '0',
  PARLEY_SESSION_GRACE_SECONDS: '1',
}

/**
 * Checks that the server never confirms a write that failed, that it keeps running, and that it says what is wrong.
 * @param code of the reason
 */
export async function expectRefusedWrites(deployment: Deployment, code: string): Promise<void> {
  const { rest } = deployment
  const told = await eventually(
    'the reason',
    () => readiness(rest),
    ({ reasons }) => codes(reasons).includes(code),
  )
  expect(told.status).toBe('unavailable')
  expect((await rest.send('GET', '/healthz')).status).toBe(200)
  const made = await eventually(
    'a room that cannot be made',
    () => rest.send('POST', '/rooms', { name: deployment.roomName() }),
    ({ status }) => status !== 200,
  )
  expect(made.body).toMatchObject({ errors: [{ code: 'internal_error_occurred' }] })
  expect(made.status).toBe(503)
  expect(Number(made.headers['retry-after'])).toBeGreaterThan(0)
}
