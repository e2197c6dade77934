import { run } from '../testing/commands.ts'

/** A TCP port of this machine. */
interface Place {
  host: string
  port: number
}

/**
 * Drops all packets from and to a TCP port of this machine, as a firewall that fails or a cable that is pulled: connections
 * stay open, and nobody is told. Needs root, and iptables.
 */
export class DroppedPackets {
  readonly #rules: readonly string[][]

  private constructor({ host, port }: Place) {
    // Before connections are tracked, so that the packets of open ones are dropped too.
    this.#rules = [
      ['-d', host, '-p', 'tcp', '--dport', String(port)],
      ['-s', host, '-p', 'tcp', '--sport', String(port)],
    ].map((which) => ['OUTPUT', ...which, '-j', 'DROP'])
  }

  static async at(place: Place): Promise<DroppedPackets> {
    const dropped = new DroppedPackets(place)
    for (const rule of dropped.#rules) await run('iptables', ['-w', '-t', 'raw', '-A', ...rule])
    return dropped
  }

  /** Lets packets pass again. */
  async end(): Promise<void> {
    for (const rule of this.#rules) await run('iptables', ['-w', '-t', 'raw', '-D', ...rule])
  }
}
