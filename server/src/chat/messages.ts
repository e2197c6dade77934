import { Refusal } from '../errors/refusal.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { ChatMessageRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

export type { ChatMessageRecord }

/** Messages in the conferences and rooms of a project. */
export interface Messages {
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, id: string): Promise<ChatMessageRecord>
  /** Newest first. */
  list(projectId: string, request: ListRequest): Promise<ListPage<ChatMessageRecord>>
}

/** Creates {@link Messages} for the chat channels of conferences. */
export function createMessages({ storage }: { storage: Pick<Storage, 'chatMessages'> }): Messages {
  return {
    async get(projectId, id) {
      const message = await storage.chatMessages.findOfConferences(projectId, id)
      if (!message) {
        throw new Refusal('provided_id_is_unrecognized', { attribute: 'id' })
      }
      return message
    },
    list: (projectId, request) => storage.chatMessages.listOfConferences(projectId, request),
  }
}
