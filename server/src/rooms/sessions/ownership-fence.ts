import type { Claim } from '../../cluster/cluster.ts'
import type { Repositories } from '../../storage/storage.ts'

/**
 * Fencing: whether the session is still of the node that made the claim on its room. It is asked in the transaction of
 * each write, so that a node which lost the room, and does not know it yet, changes nothing any more.
 */
export type OwnershipFence = (tx: Pick<Repositories, 'sessions'>) => Promise<boolean>

/** Makes the fence of one session. */
export function ownershipFence(
  session: { projectId: string; sessionId: string },
  { revision }: Pick<Claim, 'revision'>,
): OwnershipFence {
  const { projectId, sessionId } = session
  return async ({ sessions }) => {
    if (await sessions.isStillOf(projectId, sessionId, revision)) return true
    // A session that is not stored yet has no other owner.
    return (await sessions.find(projectId, sessionId)) === undefined
  }
}
