import { run } from '../testing/commands.ts'

/**
 * Drops all packets from and to a TCP port of this machine, as a firewall that fails or a cable that is pulled: connections
 * stay open, and nobody is told. Needs root, and iptables.
 */
export class DroppedPackets {
  readonly #rules: readonly string[][]

  private constructor(port: number) {
    // Before connections are tracked, so that the packets of open ones are dropped too.
    this.#rules = ['--dport', '--sport'].map((side) => [
      'OUTPUT',
      '-p',
      'tcp',
      side,
      String(port),
      '-j',
      'DROP',
    ])
  }

  static async at(port: number): Promise<DroppedPackets> {
    const dropped = new DroppedPackets(port)
    for (const rule of dropped.#rules) await run('iptables', ['-w', '-t', 'raw', '-A', ...rule])
    return dropped
  }

  /** Lets packets pass again. */
  async end(): Promise<void> {
    for (const rule of this.#rules) await run('iptables', ['-w', '-t', 'raw', '-D', ...rule])
  }
}
