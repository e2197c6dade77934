import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import { ClusterAway } from '../cluster.ts'
import { CannotJoinCluster } from './connect.ts'
import { ENTRY_TTL_MS, type NatsClaims } from './nats-claims.ts'

/** After a crash of this node its name is free again when its entry has expired. */
const PATIENCE_MS = ENTRY_TTL_MS + 3000
const RETRY_MS = 250

/**
 * Takes the name of this node, and takes it again when it was lost. Two nodes with one name would get each other's
 * requests.
 * @returns ends it
 * @throws CannotJoinCluster when another node has the name
 */
export async function keepName(
  claims: NatsClaims,
  name: string,
  { clock, log }: { clock: Clock; log: Logger },
): Promise<() => void> {
  const key = `node.${name}`
  let timer: Timer | null = null
  let isStopped = false

  const giveUpAtMs = clock.monotonicMs() + PATIENCE_MS
  while (!(await takes(giveUpAtMs))) {
    if (clock.monotonicMs() > giveUpAtMs) {
      throw new CannotJoinCluster(
        `another node is named ${name}: give each its own PARLEY_NODE_NAME, or wait until the other has ended`,
      )
    }
    await wait(RETRY_MS)
  }

  /** A bucket that another node has just made does not answer for a moment. */
  async function takes(patientUntilMs: number): Promise<boolean> {
    try {
      return await claims.take(key)
    } catch (error) {
      if (!(error instanceof ClusterAway) || clock.monotonicMs() > patientUntilMs) throw error
      return false
    }
  }

  function takeAgain(): void {
    timer = clock.after(RETRY_MS, () => {
      claims.take(key).then(
        (taken) => {
          if (!taken && !isStopped) takeAgain()
        },
        (error: unknown) => {
          log.debug({ err: error, node: name }, 'the name of this node is not taken again yet')
          if (!isStopped) takeAgain()
        },
      )
    })
  }

  const removeCallback = claims.onLost((lost) => {
    if (lost === key && !isStopped) takeAgain()
  })
  return () => {
    isStopped = true
    timer?.cancel()
    removeCallback()
  }
}
