import type { ChannelAccess, ChatGrant } from '../../chat/chat-token.ts'
import { nothingLeft } from '../../resources/bodies.ts'
import { type Channels, ChatToken, CreateChatTokenBody } from '../../resources/chat.ts'
import { type Operation, operation } from '../conventions/operation.ts'

/** Enough for the maximum number of channels with the longest names, in UTF-8 and in JSON. */
const BODY_MAX_BYTES = 1024 * 1024
const MINUTE_MS = 60_000

/** `POST /tokens`. */
export function chatTokenOperation(kind: ChatGrant['kind']): Operation {
  const title = kind === 'chat' ? 'Chat' : 'PubSub'
  return operation(
    {
      route: 'POST /tokens',
      operationId: `create${title}Token`,
      summary: `Create a ${title} token`,
      description:
        'Makes a signed token with which one client connects, to read and write in the channels that it names.',
      tag: 'Chat',
      bodyMaxBytes: BODY_MAX_BYTES,
      body: CreateChatTokenBody,
      answer: ChatToken,
      errorCodes: {
        422: [
          'no_channel_specified',
          'channel_size_limit_exceeded',
          'channel_name_size_limit_exceeded',
          'channel_name_is_reserved',
          'channel_has_missing_properties',
          'not_a_boolean',
          'state_size_limit_exceeded',
        ],
      },
    },
    async ({ projectId, body, host }, { chatTokens }) => {
      const { ttl, channels, member_id, state, ...rest } = body
      nothingLeft(rest)
      const lifetimeMs = ttl * MINUTE_MS
      const request = {
        projectId,
        kind,
        memberId: member_id ?? undefined,
        channels: readChannels(channels),
        lifetimeMs,
      }
      return { token: await chatTokens.create({ ...request, state: state ?? {} }, host) }
    },
  )
}

const readChannels = (channels: Channels): Map<string, ChannelAccess> =>
  new Map(
    Object.entries(channels).map(([name, { read, write, ...rest }]) => {
      nothingLeft(rest)
      return [name, { read: read ?? false, write: write ?? false }]
    }),
  )
