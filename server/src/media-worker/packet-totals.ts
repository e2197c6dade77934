import type { PacketFigures } from '../media/channel.ts'
import type { TransportStats } from './transport/transport-stats.ts'

/** A leg's transport, as long as it is open. */
interface Counted {
  readonly stats: TransportStats
}

/** Packets of all legs of this process, those that are closed included. Totals never go back. */
export class PacketTotals {
  readonly #open = new Set<Counted>()
  readonly #closed = noPackets()

  opened(transport: Counted): void {
    this.#open.add(transport)
  }

  /** @param last its counters at the end */
  closed(transport: Counted, last: TransportStats): void {
    if (this.#open.delete(transport)) addPackets(this.#closed, last)
  }

  get total(): PacketFigures {
    const total = { ...this.#closed }
    for (const { stats } of this.#open) addPackets(total, stats)
    return total
  }
}

/** Before the first packet. */
export const noPackets = (): PacketFigures => ({
  received: 0,
  lost: 0,
  repaired: 0,
  sent: 0,
  sentAgain: 0,
  reported: 0,
  reportedLost: 0,
})

function addPackets(total: PacketFigures, { received, sent }: TransportStats): void {
  total.received += received.packets
  total.lost += received.lost
  total.repaired += received.repaired
  total.sent += sent.packets
  total.sentAgain += sent.retransmitted
  total.reported += sent.reportedPackets
  total.reportedLost += sent.reportedLost
}
