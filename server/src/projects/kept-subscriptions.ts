import type { Logger } from 'pino'
import type { Clock, Timer } from '../clock.ts'
import type { ClientSubscriptionRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/** How long after a start clients may take to come back for the subscriptions that they had before, in milliseconds. */
const RETURN_MS = 10 * 60 * 1000
/** How long the subscriptions of a client that is gone are kept, in milliseconds. */
const ABSENCE_MS = 60 * 60 * 1000

/** Event names by channel. */
export type Subscriptions = ClientSubscriptionRecord['subscriptions']

/** A client and its subscriptions. */
export interface SubscribedClient extends Pick<ClientSubscriptionRecord, 'owner' | 'subscriptions'> {
  projectId: string
  /** Name of the client session, by which the client asks for it. */
  protocol: string
}

/**
 * Subscriptions of clients that do not subscribe again when they come back: chat clients and back ends. They are kept
 * in the database, because a restart of the server would leave such clients deaf.
 */
export interface KeptSubscriptions {
  /** Stores the present subscriptions, in the background. The last call for a client wins. */
  keep(client: SubscribedClient): void
  /** @returns undefined when none are kept, or they belong to another owner */
  find(client: Omit<SubscribedClient, 'subscriptions'>): Promise<Subscriptions | undefined>
  /** The client is gone, and may still come back for an hour. Then its subscriptions are deleted. */
  release(client: Pick<SubscribedClient, 'projectId' | 'protocol'>): void
  /** Deletes the subscriptions of a client that does not come back, in the background. */
  forget(client: Pick<SubscribedClient, 'projectId' | 'protocol'>): void
  /** Resolves when everything is written, or has failed. */
  stop(): Promise<void>
}

export interface KeptSubscriptionsOptions {
  storage: Pick<Storage, 'clientSubscriptions'>
  clock: Clock
  log: Logger
}

export function createKeptSubscriptions({
  storage,
  clock,
  log,
}: KeptSubscriptionsOptions): KeptSubscriptions {
  /** The last write of each client, which the next one waits for. */
  const writes = new Map<string, Promise<void>>()
  const startedAt = clock.now()
  let cleanUp: Timer | null = null
  /** The deletions to come, by client. */
  const deletions = new Map<string, Timer>()

  function write(protocol: string, work: () => Promise<void>): void {
    // Clients that were there before the start have come back by then, or do not come back.
    cleanUp ??= clock.after(RETURN_MS, () => {
      storage.clientSubscriptions.deleteBefore(startedAt).catch(() => {})
    })
    const before = writes.get(protocol) ?? Promise.resolve()
    const done = before.then(work).catch((error: unknown) => {
      log.warn({ err: error }, 'the subscriptions of a client were not stored; it loses them at a restart')
    })
    writes.set(protocol, done)
    void done.then(() => {
      if (writes.get(protocol) === done) writes.delete(protocol)
    })
  }

  function holdDeletion(protocol: string): void {
    deletions.get(protocol)?.cancel()
    deletions.delete(protocol)
  }

  function forget({ projectId, protocol }: Pick<SubscribedClient, 'projectId' | 'protocol'>): void {
    holdDeletion(protocol)
    write(protocol, () => storage.clientSubscriptions.delete(projectId, protocol))
  }

  return {
    keep({ projectId, protocol, owner, subscriptions }) {
      holdDeletion(protocol)
      const record = { id: protocol, project_id: projectId, owner, subscriptions, updated_at: clock.now() }
      write(protocol, () => storage.clientSubscriptions.put(record))
    },
    async find({ projectId, protocol, owner }) {
      await writes.get(protocol)
      const record = await storage.clientSubscriptions.find(projectId, protocol)
      return record?.owner === owner ? record.subscriptions : undefined
    },
    release(client) {
      holdDeletion(client.protocol)
      deletions.set(
        client.protocol,
        clock.after(ABSENCE_MS, () => forget(client)),
      )
    },
    forget,
    async stop() {
      cleanUp?.cancel()
      for (const deletion of deletions.values()) deletion.cancel()
      await Promise.all(writes.values())
    },
  }
}
