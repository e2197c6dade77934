import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

/** A TCP port of this machine. */
interface Place {
  host: string
  port: number
}

/**
 * Adds the rules, says so, and takes them away at the end of its input. The input also ends with the process that holds it,
 * however that dies. The rules act before connections are tracked, so that the packets of open ones are dropped too.
 */
const HOLD_RULES = `
trap '' HUP INT TERM
rules() {
  iptables -w -t raw "$1" OUTPUT -d "$host" -p tcp --dport "$port" -j DROP &&
  iptables -w -t raw "$1" OUTPUT -s "$host" -p tcp --sport "$port" -j DROP
}
host=$1
port=$2
rules -A && echo dropped && cat > /dev/null
rules -D
`

/**
 * Drops all packets from and to a TCP port of this machine, as a firewall that fails or a cable that is pulled: connections
 * stay open, and nobody is told. A process of its own holds the rules, so that none is left when the test is killed. Needs
 * root, and iptables.
 */
export class DroppedPackets {
  readonly #holder: ChildProcessByStdio<Writable, Readable, null>

  private constructor({ host, port }: Place) {
    this.#holder = spawn('sh', ['-c', HOLD_RULES, 'sh', host, String(port)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      // What ends the test from the terminal does not end the holder.
      detached: true,
    })
  }

  /** Resolves once packets are dropped. */
  static async at(place: Place): Promise<DroppedPackets> {
    const dropped = new DroppedPackets(place)
    const { stdout } = dropped.#holder
    const said = await Promise.race([once(stdout, 'data'), once(stdout, 'end')])
    if (said.length === 0) throw new Error('iptables takes no rules: run the test as root')
    return dropped
  }

  /** Lets packets pass again. */
  async end(): Promise<void> {
    const ended = once(this.#holder, 'exit')
    this.#holder.stdin.end()
    const [code] = await ended
    if (code !== 0) throw new Error('iptables did not take its rules away')
  }
}
