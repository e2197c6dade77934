import { IdParams } from '../../resources/building-blocks.ts'
import { formatMoment } from '../../resources/dates.ts'
import { errorAnswers } from '../../resources/error.ts'
import { Message } from '../../resources/message.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import { unrecognized } from '../../rooms/changes.ts'
import type { ChatMessageRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { callerOf } from '../conventions/authentication.ts'
import type { Paging } from '../conventions/paging.ts'
import type { TypedApp } from '../conventions/typed-app.ts'

const tags = ['Messages']

/** `/messages`: two operations on what was written in conferences. */
export function messageRoutes(
  app: TypedApp,
  { chatMessages }: Pick<Storage, 'chatMessages'>,
  paging: Paging,
): void {
  app.get(
    '/messages',
    {
      schema: {
        operationId: 'listMessages',
        summary: 'List messages',
        description: 'What was written in the conferences of the project, newest first.',
        tags,
        querystring: PagingQuery,
        response: { 200: Page(Message), ...errorAnswers(400, 401, 403, 422, 429, 500) },
      },
      preValidation: paging.restoreParameters,
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const page = await chatMessages.listOfConferences(projectId, paging.listRequest(request))
      return paging.answer(request, page, show, (message) => message.created_at)
    },
  )

  app.get(
    '/messages/:id',
    {
      schema: {
        operationId: 'getMessage',
        summary: 'Get a message',
        description: 'One message.',
        tags,
        params: IdParams,
        response: { 200: Message, ...errorAnswers(400, 401, 403, 404, 429, 500) },
      },
    },
    async (request) => {
      const id = request.params.id.toLowerCase()
      const message = await chatMessages.findOfConferences(callerOf(request).projectId, id)
      if (!message) throw unrecognized()
      return show(message)
    },
  )
}

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

/** @param json of any kind */
function textOf(json: string): string {
  const content: unknown = JSON.parse(json)
  return typeof content === 'string' ? content : json
}
