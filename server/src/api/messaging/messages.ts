import type { ChatMessageRecord } from '../../chat/messages.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import { formatMoment } from '../../resources/dates.ts'
import { Message } from '../../resources/message.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Messages'

/** `/messages`: two operations on messages of conferences and rooms. */
export const messageOperations: Operation[] = [
  operation(
    {
      route: 'GET /messages',
      operationId: 'listMessages',
      summary: 'List messages',
      description: 'What was written in the conferences and rooms of the project, newest first.',
      tag,
      query: PagingQuery,
      answer: Page(Message),
    },
    async (request, { messages }) => {
      const page = await messages.list(request.projectId, request.listRequest)
      return request.answerPage(page, show, (message) => message.created_at)
    },
  ),

  operation(
    {
      route: 'GET /messages/:id',
      operationId: 'getMessage',
      summary: 'Get a message',
      description: 'One message.',
      tag,
      params: IdParams,
      answer: Message,
    },
    async ({ projectId, params }, { messages }) => show(await messages.get(projectId, params.id)),
  ),
]

const show = (message: ChatMessageRecord): Message => ({
  id: message.id,
  from: message.from_name ?? message.member_id,
  to: message.to_name ?? message.channel,
  body: textOf(message.content),
  status: 'delivered',
  direction: 'inbound',
  kind: 'chat',
  media: [],
  number_of_segments: 1,
  error_code: null,
  error_message: null,
  created_at: formatMoment(message.created_at),
  project_id: message.project_id,
  status_callback_url: null,
  message_uri: `/api/messaging/messages/${message.id}`,
})

/** @param json any JSON text */
function textOf(json: string): string {
  const content: unknown = JSON.parse(json)
  return typeof content === 'string' ? content : json
}
