import type { NodeLoad } from '../../cluster/cluster.ts'
import type { MediaPlane } from '../../media/media-plane.ts'
import type { SessionRegistry } from './session-registry.ts'

/** How busy this server is, from what its media workers measured last. */
export function nodeLoad(
  { workers }: Pick<MediaPlane, 'workers'>,
  { sessions }: Pick<SessionRegistry, 'sessions'>,
): NodeLoad {
  const used = workers.reduce((sum, { load }) => sum + load.cpu, 0)
  // Every worker reports what the whole machine has left.
  const spare = Math.max(0, ...workers.map(({ load }) => load.spareCpu))
  const members = sessions.reduce((sum, session) => sum + session.members.length, 0)
  return { media: used / Math.max(used + spare, 0.01), sessions: sessions.length, members }
}
