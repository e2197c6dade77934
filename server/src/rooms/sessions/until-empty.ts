import type { Clock } from '../../clock.ts'
import type { SessionRegistry } from './session-registry.ts'

const LOOK_MS = 250

/** Resolves when no session runs, or after `limitMs`. */
export async function untilEmpty(
  registry: Pick<SessionRegistry, 'sessions'>,
  limitMs: number,
  clock: Clock,
): Promise<void> {
  const giveUpAtMs = clock.monotonicMs() + limitMs
  while (registry.sessions.length > 0 && clock.monotonicMs() < giveUpAtMs) {
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve))
  }
}
