import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { MediaWorkers } from '../media/media-workers.ts'
import { FeedExits } from './feed-exits.ts'
import { GuestRooms, type ServedForOthers } from './guest-rooms.ts'
import { ServingNodes } from './serving-nodes.ts'

export interface ServingNodesParts {
  cluster: Cluster
  media: Pick<MediaWorkers, 'extendTo' | 'hear' | 'serveRoom' | 'whenPrepared'>
  /** See `PARLEY_SPREAD_AUDIENCE_AT`. */
  spreadAudiencePercent: number
  clock: Clock
  log: Logger
}

/** What serves large audiences together with other nodes. */
export interface RunningServingNodes {
  /** What this node serves for others at the moment. */
  readonly served: ServedForOthers
  /** See `FeedExits.takeOver`. */
  takeOver(request: IncomingMessage, socket: Duplex, head: Buffer, onTaken: () => void): boolean
  stop(): Promise<void>
}

/** Lets other nodes serve viewers of rooms of this one, and this one those of theirs. */
export function startServingNodes(parts: ServingNodesParts): RunningServingNodes {
  const { cluster, media, spreadAudiencePercent, clock, log } = parts
  const exits = new FeedExits(cluster.nodes)
  const machines = new ServingNodes({
    cluster,
    exits,
    clock,
    log,
    onNotice: (host, sessionId, notice) => media.hear(host, sessionId, notice),
  })
  const guests = new GuestRooms({ cluster, media, log })
  // Where other programs take the rest of the machine, media have all that they may, and still power for more.
  const fromShare = spreadAudiencePercent === 100 ? Number.POSITIVE_INFINITY : spreadAudiencePercent / 100
  media.extendTo({ machines, fromShare })
  return {
    get served() {
      return guests.served
    },
    takeOver: (...request) => exits.takeOver(...request),
    async stop() {
      await guests.stop()
      machines.stop()
      exits.stop()
    },
  }
}
