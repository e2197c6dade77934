import { type ChannelAccess, mintChatToken, TOKEN_MAX_CHARACTERS } from '../../chat/chat-token.ts'
import { ParleyError } from '../../errors/parley-error.ts'
import { newId } from '../../ids.ts'
import { type Channels, ChatToken, CreateChatTokenBody } from '../../resources/chat.ts'
import { errorAnswers } from '../../resources/error.ts'
import { callerOf } from '../conventions/authentication.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import type { ChatRoutesOptions } from './chat-routes.ts'

/** The longest names of as many channels as there may be, in UTF-8 and in JSON. */
const BODY_MAX_BYTES = 1024 * 1024
const MINUTE_MS = 60_000

/** `POST /tokens`. */
export function chatTokenRoute(app: TypedApp, options: ChatRoutesOptions): void {
  const { kind, chatTokenKey, hostOf, clock } = options
  const title = kind === 'chat' ? 'Chat' : 'PubSub'
  app.post(
    '/tokens',
    {
      bodyLimit: BODY_MAX_BYTES,
      schema: {
        operationId: `create${title}Token`,
        summary: `Create a ${title} token`,
        description:
          'Makes a signed token with which one client connects, to read and write in the channels that it names.',
        tags: ['Chat'],
        body: CreateChatTokenBody,
        response: { 200: ChatToken, ...errorAnswers(400, 401, 403, 422, 429, 500) },
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
    },
    async (request) => {
      const { ttl, channels, member_id, state } = request.body
      const now = clock.now()
      const grant = {
        id: newId(),
        project_id: callerOf(request).projectId,
        kind,
        member_id: member_id ?? crypto.randomUUID(),
        channels: readChannels(channels),
        state: state ?? {},
        conference: null,
        issued_at: now,
        expires_at: now + ttl * MINUTE_MS,
      }
      const token = await mintChatToken(grant, chatTokenKey, hostOf(request))
      if (token.length > TOKEN_MAX_CHARACTERS) throw tooLong()
      return { token }
    },
  )
}

const readChannels = (channels: Channels): Map<string, ChannelAccess> =>
  new Map(
    Object.entries(channels).map(([name, { read, write }]) => [
      name,
      { read: read ?? false, write: write ?? false },
    ]),
  )

/** As many channels with names in a script of several bytes to a character. */
const tooLong = () =>
  new ParleyError('invalid', {
    code: 'channel_size_limit_exceeded',
    attribute: 'channels',
    message: 'All names of channels together are too long for one token. Name fewer channels.',
  })
