import type { NodeLoad } from '../../cluster/cluster.ts'
import type { MediaPlane } from '../../media/media-plane.ts'
import { mediaShare } from '../../media/media-share.ts'
import { givesUp } from '../../resources/overload-steps.ts'
import type { SessionRegistry } from './session-registry.ts'

/**
 * How busy this server is, from what its media workers measured last.
 * @param beginsRooms whether it has what a room needs besides
 */
export function nodeLoad(
  { workers }: Pick<MediaPlane, 'workers'>,
  { sessions }: Pick<SessionRegistry, 'sessions'>,
  beginsRooms: boolean,
): NodeLoad {
  const loads = workers.map(({ load }) => load)
  const members = sessions.reduce((sum, session) => sum + session.members.length, 0)
  const servesViewers = loads.some(({ step }) => !givesUp(step, 'no-audience'))
  return { media: mediaShare(loads), sessions: sessions.length, members, servesViewers, beginsRooms }
}
