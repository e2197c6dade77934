import { createHash } from 'node:crypto'
import type { Cluster } from '../cluster/cluster.ts'
import type { Storage } from '../storage/storage.ts'

/** Tells pages whether their call may still be there. */
export interface SessionRuns {
  /**
   * An opaque text that changes when the node that ran the session does not run it any more.
   * @returns null for a server without a cluster: there, sessions last as long as the process
   */
  runOf(sessionId: string): Promise<string | null>
}

export function createSessionRuns({
  cluster,
  storage,
}: {
  cluster: Pick<Cluster, 'isAlone'>
  storage: Pick<Storage, 'sessions'>
}): SessionRuns {
  return {
    async runOf(sessionId) {
      if (cluster.isAlone) return null
      const owner = await storage.sessions.ownerOf(sessionId)
      const text = owner ? `${owner.node}/${owner.revision}` : 'over'
      return createHash('sha256').update(`${sessionId}/${text}`).digest('base64url')
    },
  }
}
