import type { Logger } from 'pino'
import type { Clock, Timer } from '../clock.ts'
import type { ClientSubscriptionRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/** Between two signs of life of the clients that are here, in milliseconds. */
const SIGN_OF_LIFE_MS = 10 * 60 * 1000
/** How long the subscriptions of a client that is gone are kept, in milliseconds, from its last sign of life. */
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
 * in the database, because a restart of the server would leave such clients deaf. A client may come back to another
 * server on the same database, so what is stored is deleted by its age alone, and a client that is here renews it.
 */
export interface KeptSubscriptions {
  /** Stores the present subscriptions, in the background. The last call for a client wins. */
  keep(client: SubscribedClient): void
  /** @returns undefined when none are kept, or they belong to another owner */
  find(client: Omit<SubscribedClient, 'subscriptions'>): Promise<Subscriptions | undefined>
  /** The client is gone. It may still come back for about an hour. Then its subscriptions are deleted. */
  release(client: Pick<SubscribedClient, 'protocol'>): void
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
  /** The clients that are here. */
  const present = new Set<string>()
  let renewal: Timer | null = null
  let renewed = Promise.resolve()

  function write(protocol: string, work: () => Promise<void>): void {
    const before = writes.get(protocol) ?? Promise.resolve()
    const done = before.then(work).catch((error: unknown) => {
      log.warn({ err: error }, 'the subscriptions of a client were not stored; it loses them at a restart')
    })
    writes.set(protocol, done)
    void done.then(() => {
      if (writes.get(protocol) === done) writes.delete(protocol)
    })
  }

  /** Renews what belongs to clients that are here, and deletes what nobody came back for. */
  async function renew(): Promise<void> {
    const { clientSubscriptions } = storage
    try {
      await clientSubscriptions.touch([...present], clock.now())
      await clientSubscriptions.deleteBefore(clock.now() - ABSENCE_MS)
    } catch (error) {
      log.warn({ err: error }, 'subscriptions of clients were not renewed; this is tried again')
    }
  }

  function renewLater(): void {
    renewal = clock.after(SIGN_OF_LIFE_MS, () => {
      renewed = renew()
      renewLater()
    })
  }

  return {
    keep({ projectId, protocol, owner, subscriptions }) {
      if (!renewal) renewLater()
      present.add(protocol)
      const record = { id: protocol, project_id: projectId, owner, subscriptions, updated_at: clock.now() }
      write(protocol, () => storage.clientSubscriptions.put(record))
    },
    async find({ projectId, protocol, owner }) {
      await writes.get(protocol)
      const record = await storage.clientSubscriptions.find(projectId, protocol)
      return record?.owner === owner ? record.subscriptions : undefined
    },
    release: ({ protocol }) => void present.delete(protocol),
    forget({ projectId, protocol }) {
      present.delete(protocol)
      write(protocol, () => storage.clientSubscriptions.delete(projectId, protocol))
    },
    async stop() {
      renewal?.cancel()
      await Promise.all([...writes.values(), renewed])
    },
  }
}
