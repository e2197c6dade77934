import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import { type ChatGrant, mintChatToken, TOKEN_MAX_CHARACTERS } from './chat-token.ts'

/** A project's request for a token. */
export interface ChatTokenRequest extends Pick<ChatGrant, 'kind' | 'channels' | 'state'> {
  projectId: string
  /** Absent for a new id. */
  memberId: string | undefined
  lifetimeMs: number
}

/** The chat tokens of all projects. They are signed, and not stored. */
export interface ChatTokens {
  /**
   * @param host see `mintChatToken`
   * @throws Refusal `channel_size_limit_exceeded` when the names of the channels do not fit into a token
   */
  create(request: ChatTokenRequest, host: string): Promise<string>
}

/** @param options.key signs the tokens; 64 bytes */
export function createChatTokens({ key, clock }: { key: Uint8Array; clock: Clock }): ChatTokens {
  return {
    async create({ projectId, memberId, lifetimeMs, ...request }, host) {
      const now = clock.now()
      const grant: ChatGrant = {
        ...request,
        id: newId(),
        project_id: projectId,
        member_id: memberId ?? crypto.randomUUID(),
        seat: null,
        issued_at: now,
        expires_at: now + lifetimeMs,
      }
      const token = await mintChatToken(grant, key, host)
      if (token.length > TOKEN_MAX_CHARACTERS) throw tooLong()
      return token
    },
  }
}

/** The number of channels is allowed, but their names are in a script that needs several bytes per character. */
const tooLong = () =>
  new Refusal('channel_size_limit_exceeded', {
    attribute: 'channels',
    message: 'All names of channels together are too long for one token. Name fewer channels.',
  })
