import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Chat } from '../../chat/chat.ts'
import { CHAT_EVENT_TYPES, type ChatClient, type ChatEventType } from '../../chat/chat-client.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { ListCursor } from '../../storage/list-page.ts'
import { wireMember, wireMessage } from './chat-wire.ts'

/** A method of the chat. Its result is sent besides the code. */
interface ChatMethod {
  /** Schema of the parameters. */
  readonly schema: TSchema
  /** @throws Refusal */
  call(chat: Chat, client: ChatClient, params: unknown): object | Promise<object>
}

function chatMethod<Schema extends TSchema>(
  schema: Schema,
  call: (chat: Chat, client: ChatClient, params: Static<Schema>) => object | Promise<object>,
): ChatMethod {
  const validator = Compile(schema)
  return {
    schema,
    call(chat, client, params) {
      if (validator.Check(params)) return call(chat, client, params)
      const [error] = validator.Errors(params)
      const field = error?.instancePath.slice(1) || 'params'
      throw new Refusal('invalid_parameter', `Invalid params: ${field} ${error?.message ?? 'is invalid'}`)
    },
  }
}

const Name = Type.String({ minLength: 1 })
const Channels = Type.Array(Type.Object({ name: Name }), { minItems: 1, maxItems: 500 })
const Subscription = Type.Object({
  channels: Channels,
  events: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
})
const JsonObject = Type.Record(Type.String(), Type.Unknown())
const MemberId = Type.Optional(Type.String({ minLength: 1, maxLength: 250 }))
const Place = Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()]))

const namesOf = (channels: Static<typeof Channels>) => [...new Set(channels.map(({ name }) => name))]

/** The chat events among the events that a client lists. A client that lists none gets all. */
function typesOf(events: readonly string[] | undefined): readonly ChatEventType[] {
  return events ? CHAT_EVENT_TYPES.filter((type) => events.includes(`chat.${type}`)) : CHAT_EVENT_TYPES
}

/** Every method of the chat (docs/protocol.md, section 10). */
export const CHAT_METHODS: ReadonlyMap<string, ChatMethod> = new Map(
  Object.entries({
    'chat.subscribe': chatMethod(Subscription, async (chat, client, { channels, events }) => {
      await chat.subscribe(client, namesOf(channels), typesOf(events))
      return {}
    }),
    'chat.unsubscribe': chatMethod(Subscription, (chat, client, { channels, events }) => {
      chat.unsubscribe(client, namesOf(channels), typesOf(events))
      return {}
    }),
    'chat.publish': chatMethod(
      Type.Object({
        channel: Name,
        content: Type.Unknown(),
        meta: Type.Optional(Type.Union([JsonObject, Type.Null()])),
      }),
      async (chat, client, { channel, content, meta }) => {
        await chat.publish(client, channel, content, meta ?? {})
        return {}
      },
    ),
    'chat.messages.get': chatMethod(
      Type.Object({
        channel: Name,
        cursor: Type.Optional(Type.Union([Type.Object({ after: Place, before: Place }), Type.Null()])),
      }),
      async (chat, client, { channel, cursor }) => {
        const page = await chat.history(client, channel, readCursor(cursor ?? {}))
        const placeOf = (row: (typeof page.rows)[number] | undefined) =>
          row && writePlace(row.publishedAt, row.id)
        return {
          messages: page.rows.map(wireMessage),
          cursor: {
            after: (page.hasNext && placeOf(page.rows.at(-1))) || null,
            before: (page.hasPrevious && placeOf(page.rows[0])) || null,
          },
        }
      },
    ),
    'chat.members.get': chatMethod(Type.Object({ channel: Name }), async (chat, client, { channel }) => ({
      members: (await chat.members(client, channel)).map(wireMember),
    })),
    'chat.member.set_state': chatMethod(
      Type.Object({ member_id: MemberId, channels: Channels, state: JsonObject }),
      async (chat, client, { member_id = client.grant.member_id, channels, state }) => {
        await chat.setState(client, member_id, namesOf(channels), state)
        return {}
      },
    ),
    'chat.member.get_state': chatMethod(
      Type.Object({ member_id: MemberId, channels: Type.Optional(Channels) }),
      async (chat, client, { member_id = client.grant.member_id, channels }) => {
        const names = channels ? namesOf(channels) : [...client.grant.channels.keys()]
        const states = await chat.states(client, member_id, names)
        return { channels: Object.fromEntries([...states].map(([name, state]) => [name, { state }])) }
      },
    ),
  }),
)

const writePlace = (at: number, id: string) => Buffer.from(`${at} ${id}`).toString('base64url')

/** `after` continues with older messages, `before` goes back to newer ones. */
function readCursor({
  after,
  before,
}: {
  after?: string | null
  before?: string | null
}): ListCursor | undefined {
  const place = after ?? before
  if (place == null) return undefined
  const match = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(Buffer.from(place, 'base64url').toString())
  if (!match) throw new Refusal('invalid_parameter', 'Invalid params: the cursor is not one of ours.')
  return { at: Number(match[1]), id: match[2] ?? '', direction: after == null ? 'before' : 'after' }
}
