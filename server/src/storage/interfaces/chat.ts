import type { ListPage, ListRequest } from '../list-page.ts'
import type { ChatMessageRecord, ClientSubscriptionRecord } from '../records.ts'

export interface ChatMessageRepository {
  insert(message: ChatMessageRecord): Promise<void>
  /** Newest first. */
  listOfChannel(
    projectId: string,
    channel: string,
    request: ListRequest,
  ): Promise<ListPage<ChatMessageRecord>>
  findOfConferences(projectId: string, id: string): Promise<ChatMessageRecord | undefined>
  /** The messages of all conferences, newest first. */
  listOfConferences(projectId: string, request: ListRequest): Promise<ListPage<ChatMessageRecord>>
}

export interface ClientSubscriptionRepository {
  /** Stores the subscriptions of a client. They replace the earlier ones. */
  put(record: ClientSubscriptionRecord): Promise<void>
  find(projectId: string, id: string): Promise<ClientSubscriptionRecord | undefined>
  delete(projectId: string, id: string): Promise<void>
  /** Notes that the clients of all projects with these ids live. */
  touch(ids: readonly string[], at: number): Promise<void>
  /** Deletes the subscriptions of clients of all projects that were stored, or lived last, before that time. */
  deleteBefore(time: number): Promise<void>
}
