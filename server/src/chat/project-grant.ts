import { CHANNEL_NAME_MAX } from '../resources/chat.ts'
import { type ChannelRights, type ChatGrant, RESERVED_PREFIX } from './chat-token.ts'

const ALL = { read: true, write: true }

/** A name that a chat token could have. */
const isName = (name: string) =>
  [...name].length <= CHANNEL_NAME_MAX && !name.startsWith(RESERVED_PREFIX) && !/\p{Cc}/u.test(name)

/** Every channel of a project, but those that the server keeps for itself. */
const EVERY_CHANNEL: ChannelRights = {
  get: (name) => (isName(name) ? ALL : undefined),
  keys: () => [],
  [Symbol.iterator]: () => [].values(),
}

/**
 * What a back end may do in the chat of its project.
 * @param memberId who the back end is, to the others
 */
export function projectGrant(projectId: string, memberId: string, now: number): ChatGrant {
  return {
    id: memberId,
    project_id: projectId,
    kind: 'chat',
    member_id: memberId,
    channels: EVERY_CHANNEL,
    state: {},
    seat: null,
    issued_at: now,
    expires_at: Number.POSITIVE_INFINITY,
  }
}
