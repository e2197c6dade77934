import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Uuid } from './building-blocks.ts'
import { CompatibilityMoment, CompatibilityTime } from './compatibility.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from './paging.ts'

const never = (description: string) => Nullable(Type.String({ description, examples: [null] }))

/** Names of the caller and the room, each under the field names that clients look for. */
const parties = {
  to: Type.String({ description: 'Name of the room or conference.', examples: ['standup'] }),
  formatted_to: Type.String({ description: 'The same as `to`.', examples: ['standup'] }),
  to_formatted: Type.String({ description: 'The same as `to`.', examples: ['standup'] }),
  from: Type.String({ description: 'Name of the user.', examples: ['Ada'] }),
  formatted_from: Type.String({ description: 'The same as `from`.', examples: ['Ada'] }),
  from_formatted: Type.String({ description: 'The same as `from`.', examples: ['Ada'] }),
}

export const Call = Answer(
  {
    sid: Uuid({ description: 'Id of the call.' }),
    account_sid: Uuid({ description: 'Id of the project.' }),
    api_version: Type.String({ description: 'Version of this family.', examples: ['2010-04-01'] }),
    date_created: CompatibilityTime({ description: 'When the call was made.' }),
    date_updated: CompatibilityTime({ description: 'When the call was changed last.' }),
    parent_call_sid: Nullable(
      Uuid({ description: 'The call of the member, where this is its screen share or extra device.' }),
    ),
    ...parties,
    phone_number_sid: never('Always null: there are no telephone numbers.'),
    status: OneOf(['in-progress', 'completed'], { description: 'Whether the call goes on.' }),
    start_time: CompatibilityTime({ description: 'When the call was answered.' }),
    end_time: Nullable(CompatibilityTime({ description: 'When the call ended; null while it goes on.' })),
    duration: Type.Integer({
      minimum: 0,
      description: 'How long it was, or has been until now, in seconds.',
      examples: [1260],
    }),
    price: Type.Number({
      description: 'What it costs by the price list of this server; a screen share or device is free.',
      examples: [0.042],
    }),
    price_unit: Type.String({ description: 'Currency of `price` (ISO 4217).', examples: ['USD'] }),
    direction: OneOf(['inbound'], { description: 'Clients call the server, never the other way.' }),
    answered_by: never('Always null: rooms answer.'),
    forwarded_from: never('Always null: calls are not forwarded.'),
    caller_name: never('Always null: there is no directory of numbers.'),
    annotation: never('Always null: calls have no notes.'),
    uri: Type.String({
      description: 'Path of this call.',
      examples: [
        '/api/laml/2010-04-01/Accounts/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/Calls/0190d5a8-7f3e-7c31-9f2e-0c8f1c2b6e11.json',
      ],
    }),
    subresource_uris: Type.Object(
      {},
      {
        additionalProperties: false,
        description: 'Empty: calls have no parts of their own.',
        examples: [{}],
      },
    ),
  },
  { title: 'Call', description: 'One client in a session: a member, viewer, screen share or extra device.' },
)
export type Call = Static<typeof Call>

const PATH = '/api/laml/2010-04-01/Accounts/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11/Calls'
const first = [`${PATH}?Page=0&PageSize=50`]

export const CallPage = Answer(
  {
    uri: Type.String({ description: 'Path of this page.', examples: first }),
    first_page_uri: Type.String({ description: 'Path of the first page.', examples: first }),
    next_page_uri: Nullable(
      Type.String({
        description: 'Path of the next page; null on the last.',
        examples: [`${PATH}?Page=1&PageSize=50&PageToken=PAbm90aGluZw`],
      }),
    ),
    previous_page_uri: Nullable(
      Type.String({ description: 'Path of the page before; null on the first.', examples: [null] }),
    ),
    page: Type.Integer({ minimum: 0, description: 'Number of this page, from 0.', examples: [0] }),
    page_size: Type.Integer({
      minimum: 1,
      description: 'How many calls a page has at most.',
      examples: [50],
    }),
    calls: Type.Array(Call, { description: 'The calls, newest first.' }),
  },
  { title: 'CallPage', description: 'One page of the list of calls.' },
)

/**
 * Every status of a call in the published API. This server uses two of them. A filter by another one matches nothing.
 */
const STATUSES = ['queued', 'ringing', 'in-progress', 'canceled', 'completed', 'busy', 'failed'] as const

export const ListCallsQuery = Type.Object({
  Status: Type.Optional(
    OneOf(STATUSES, {
      description: 'Only calls with this status. Calls are `in-progress` or `completed`; others match none.',
    }),
  ),
  From: Type.Optional(
    Type.String({ maxLength: 1000, description: 'Only calls of users of this name.', examples: ['Ada'] }),
  ),
  To: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'Only calls to the room of this name.',
      examples: ['standup'],
    }),
  ),
  ParentCallSid: Type.Optional(
    Uuid({ description: 'Only screen shares and extra devices of the member with this call.' }),
  ),
  StartTime: Type.Optional(
    CompatibilityMoment({ description: 'Only calls that began in this second, or on this day (UTC).' }),
  ),
  'StartTime<': Type.Optional(CompatibilityMoment({ description: 'Only calls that began then or earlier.' })),
  'StartTime>': Type.Optional(CompatibilityMoment({ description: 'Only calls that began then or later.' })),
  EndTime: Type.Optional(
    CompatibilityMoment({ description: 'Only calls that ended in this second, or on this day (UTC).' }),
  ),
  'EndTime<': Type.Optional(CompatibilityMoment({ description: 'Only calls that ended then or earlier.' })),
  'EndTime>': Type.Optional(CompatibilityMoment({ description: 'Only calls that ended then or later.' })),
  Page: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'Number of the page, from 0. Above 0 it needs the `PageToken` of a link.',
  }),
  PageSize: Type.Integer({
    minimum: 1,
    maximum: PAGE_SIZE_MAX,
    default: PAGE_SIZE_DEFAULT,
    description: 'How many calls a page has at most.',
  }),
  PageToken: Type.Optional(
    Type.String({
      maxLength: 4000,
      'x-error-codes': { maxLength: 'page_token_is_invalid', type: 'page_token_is_invalid' },
      description: 'Place in the list, from a link of another page.',
      examples: ['PAbm90aGluZw'],
    }),
  ),
})
export type ListCallsQuery = Static<typeof ListCallsQuery>

export const AccountParams = Type.Object({
  account_sid: Type.String({
    description: 'Id of the project, the same as that of the credentials.',
    examples: ['9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11'],
  }),
})
export const CallParams = Type.Object({
  account_sid: Type.String({
    description: 'Id of the project, the same as that of the credentials.',
    examples: ['9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11'],
  }),
  sid: Type.String({
    description: 'Id of the call; it may end in `.json`.',
    examples: ['0190d5a8-7f3e-7c31-9f2e-0c8f1c2b6e11'],
  }),
})
