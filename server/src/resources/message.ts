import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'

export const Message = Answer(
  {
    id: Uuid({ description: 'Id of the message.' }),
    from: Type.String({ description: 'Name of the member who wrote it.', examples: ['Ada'] }),
    to: Type.String({ description: 'Name of the conference or room.', examples: ['standup'] }),
    body: Type.String({
      description: 'What was written. What is no text is told as JSON.',
      examples: ['Can you hear me?'],
    }),
    status: OneOf(['delivered'], { description: 'Messages are shown once they are delivered.' }),
    direction: OneOf(['inbound'], { description: 'Members write, the server never does.' }),
    kind: OneOf(['chat'], { description: 'The kind of message.' }),
    media: Type.Array(
      Type.String({ description: 'Address of an attachment.', examples: ['https://example.org/1.png'] }),
      {
        description: 'Always empty: messages have no attachments.',
        examples: [[]],
      },
    ),
    number_of_segments: Type.Integer({
      description: 'Always 1: messages are delivered whole.',
      examples: [1],
    }),
    error_code: Nullable(Type.String({ description: 'Always null.', examples: [null] })),
    error_message: Nullable(Type.String({ description: 'Always null.', examples: [null] })),
    created_at: Timestamp({ description: 'When it was written.' }),
    project_id: Uuid({ description: 'Id of the project.' }),
    status_callback_url: Nullable(Type.String({ description: 'Always null.', examples: [null] })),
    message_uri: Type.String({
      description: 'Path of this message.',
      examples: ['/api/messaging/messages/0190d5a8-7f3e-7c31-9f2e-0c8f1c2b6e11'],
    }),
  },
  { title: 'Message', description: 'Something that was written in a conference or room.' },
)
export type Message = Static<typeof Message>
