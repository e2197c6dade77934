import type { ChatGrant } from '../../chat/chat-token.ts'
import { useBasicAuthentication } from '../conventions/authentication.ts'
import type { Family } from '../conventions/family.ts'
import { useIdempotency } from '../conventions/idempotency.ts'
import { useNoStore } from '../conventions/no-store.ts'
import { useOperations } from '../conventions/operation.ts'
import { chatTokenOperation } from './chat-tokens.ts'

/**
 * `/api/chat` or `/api/pubsub`.
 * @param kind `pubsub` is the same family under another name, with a scope of its own
 */
export const chatFamily =
  (kind: ChatGrant['kind']): Family =>
  async (app, options) => {
    useBasicAuthentication(app, options, kind)
    useIdempotency(app, options.services.keptAnswers)
    useNoStore(app)
    useOperations(app, options, [chatTokenOperation(kind)])
  }
