import type { ListPage, ListRequest } from '../list-page.ts'
import type { EventRecord, WebhookDeliveryRecord, WebhookRecord, WebhookStreamRecord } from '../records.ts'

export interface WebhookRepository {
  insert(webhook: WebhookRecord): Promise<void>
  find(projectId: string, id: string): Promise<WebhookRecord | undefined>
  /** @param onlyIf changes nothing unless the webhook has these values */
  update(
    projectId: string,
    id: string,
    changes: Partial<WebhookRecord>,
    onlyIf?: Partial<Pick<WebhookRecord, 'url' | 'enabled'>>,
  ): Promise<WebhookRecord | undefined>
  delete(projectId: string, id: string): Promise<boolean>
  /** Newest first. */
  list(projectId: string, request: ListRequest): Promise<ListPage<WebhookRecord>>
  count(projectId: string): Promise<number>
}

/** A delivery that waits, with its event; null if the event is gone. */
export interface WaitingDelivery {
  delivery: Pick<WebhookDeliveryRecord, 'id' | 'sequence' | 'attempts' | 'first_attempt_at'>
  event: EventRecord | null
}

/** What came of an attempt. */
export interface DeliveryOutcome {
  webhook_id: string
  id: string
  status: WebhookDeliveryRecord['status']
  attempts: number
  /** One line of the log, without its line feed. */
  logEntry: string
  first_attempt_at: number
  finished_at: number | null
}

/** How far the sending of a stream has come. */
export interface Progress {
  /** Sequence up to which everything is done. */
  done: number
  /** When the next attempt is due, in Unix milliseconds; null for at once. */
  nextAt: number | null
  /** What came of the attempts since the lease was taken. */
  outcomes: DeliveryOutcome[]
}

/** The right to send a stream for a while. Times are Unix milliseconds. */
export interface Lease {
  /** Name of the server process. */
  holder: string
  now: number
  /** When others may take the stream, because its holder is dead. */
  until: number
}

/**
 * What waits to be sent. The database notes it when an event is written: see `EventRepository.append`. Deliveries of a stream are sent one
 * after the other, by the server that holds its lease.
 */
export interface WebhookOutboxRepository {
  /** Whether any project has an enabled webhook. */
  hasAny(): Promise<boolean>
  /** Webhooks of all projects that are enabled and have something due. */
  due(now: number): Promise<WebhookRecord[]>
  /** Takes the lease of streams of an enabled webhook that are due, those that have waited for longest first. */
  claim(webhookId: string, lease: Lease, limit: number): Promise<WebhookStreamRecord[]>
  /** The next deliveries of a stream, in order. */
  waiting(stream: WebhookStreamRecord, limit: number): Promise<WaitingDelivery[]>
  /**
   * Stores what came of attempts, and gives the lease back, unless somebody else has it by now.
   * @returns whether more is due at once
   */
  release(stream: WebhookStreamRecord, progress: Progress, now: number): Promise<boolean>
  /**
   * Frees what a killed server held, where a database has one server at a time (SQLite). Elsewhere leases run out by
   * themselves.
   */
  freeLeases(now: number): Promise<void>
  /** Makes what waits for its next attempt due now: in one stream, or in as many streams of the webhook. */
  hurry(webhookId: string, now: number, which: { streamId: string } | { limit: number }): Promise<void>
}

export interface WebhookDeliveryRepository {
  find(projectId: string, webhookId: string, id: string): Promise<WebhookDeliveryRecord | undefined>
  /** Newest first. */
  list(
    projectId: string,
    webhookId: string,
    filter: { status?: WebhookDeliveryRecord['status'] | undefined },
    request: ListRequest,
  ): Promise<ListPage<WebhookDeliveryRecord>>
  /** Finished deliveries that were stored in a span of time (Unix milliseconds, `until` excluded), oldest first. */
  finished(
    projectId: string,
    webhookId: string,
    filter: { status: 'delivered' | 'failed'; since: number; until: number },
    limit: number,
  ): Promise<WebhookDeliveryRecord[]>
  /**
   * Makes finished deliveries wait again, in a new stream. Call it in a transaction.
   * @returns how many there were
   */
  sendAgain(
    webhook: Pick<WebhookRecord, 'id' | 'project_id'>,
    ids: readonly string[],
    streamId: string,
    now: number,
  ): Promise<number>
  /** The first webhook id after `after`, in the order of ids, that has deliveries or streams, deleted webhooks too. */
  nextWebhookId(after: string): Promise<{ webhook_id: string; project_id: string } | undefined>
  /** When the delivery was stored that has `count` newer ones; undefined if there are not so many. */
  timeOfNewest(projectId: string, webhookId: string, count: number): Promise<number | undefined>
  /** Deletes deliveries that were stored before that time. @returns how many */
  deleteBefore(projectId: string, webhookId: string, before: number, limit: number): Promise<number>
  /**
   * Deletes streams in which nothing waits, nothing happened since that time, and whose session is over.
   * @param before null deletes all streams of the webhook
   * @returns how many
   */
  deleteStreams(webhookId: string, before: number | null, limit: number): Promise<number>
}
