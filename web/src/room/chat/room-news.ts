import type { MeetingState } from '../meeting-state.ts'
import { peopleOf } from '../members.ts'
import type { RoomNews } from './chat-machine.ts'

type Watched = Pick<MeetingState, 'phase' | 'members' | 'recording' | 'streaming' | 'settings' | 'selfId'>

/** What is worth a line between the messages. Nothing, until the person is in the room. */
export function roomNews(before: Watched, after: Watched): readonly RoomNews[] {
  if (before.phase !== 'joined' || after.phase !== 'joined') return []
  return [
    ...comings(before, after),
    ...recordings(before, after),
    ...streams(before, after),
    ...locks(before, after),
  ]
}

function comings(before: Watched, after: Watched): RoomNews[] {
  if (before.members === after.members) return []
  const others = ({ members, selfId }: Watched) => peopleOf(members).filter(({ id }) => id !== selfId)
  const [then, now] = [others(before), others(after)]
  const ids = (list: typeof then) => new Set(list.map(({ id }) => id))
  const [thenIds, nowIds] = [ids(then), ids(now)]
  return [
    ...now.filter(({ id }) => !thenIds.has(id)).map(({ name }) => ({ is: 'joined', name }) as const),
    ...then.filter(({ id }) => !nowIds.has(id)).map(({ name }) => ({ is: 'left', name }) as const),
  ]
}

function recordings({ recording: then }: Watched, { recording: now }: Watched): RoomNews[] {
  if (!then || !now) {
    if (then === now) return []
    return [{ is: now ? 'recording-started' : 'recording-ended' }]
  }
  if (then.paused === now.paused) return []
  return [{ is: now.paused ? 'recording-paused' : 'recording-resumed' }]
}

function streams({ streaming: then }: Watched, { streaming: now }: Watched): RoomNews[] {
  return then === now ? [] : [{ is: now ? 'streaming-started' : 'streaming-ended' }]
}

function locks({ settings: then }: Watched, { settings: now }: Watched): RoomNews[] {
  return then.locked === now.locked ? [] : [{ is: now.locked ? 'locked' : 'unlocked' }]
}
