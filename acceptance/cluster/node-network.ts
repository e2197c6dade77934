import { run } from '../testing/commands.ts'
import { gone, isRunning, killProcesses } from '../testing/processes.ts'

/** The nodes of a cluster. */
export const NODE_NAMES = ['a', 'b', 'c'] as const

/** Namespaces are called after the process that made them, so that a later one knows which are left over. */
const NAMESPACE = /^parley-cut-(\d+)-\w+$/
const namespaceOf = (pid: number, what: string) => `parley-cut-${pid}-${what}`
/** This machine's end. The names of devices have 15 characters at most. */
const deviceOf = (pid: number) => `cut${pid}`

const ip = (...args: readonly string[]) => run('ip', args)

/**
 * The network of a cluster whose links can fail. Each node is in a network namespace of its own. A router in one more leads from
 * each to the others, and to this machine, where NATS, the database, the balancer and the clients are. The router drops what is
 * cut without a word, and connections stay open. A node would be told at once if its own link were down, or its own routes led
 * nowhere. Needs root.
 */
export class NodeNetwork {
  readonly #device = deviceOf(process.pid)
  readonly #router = namespaceOf(process.pid, 'router')
  /** Third part of all addresses. */
  #number = 0

  private constructor() {}

  /** Makes the network, and removes those of processes that were killed. A process has one at a time. */
  static async open(): Promise<NodeNetwork> {
    await removeLeftovers()
    const network = new NodeNetwork()
    try {
      await network.#make()
      return network
    } catch (error) {
      await network.close()
      throw error
    }
  }

  /** Address of this machine at which nodes reach NATS, and nothing else. */
  get natsHost(): string {
    return this.#address(0, 3)
  }

  /** Address of this machine at which nodes reach the database, and nothing else. */
  get databaseHost(): string {
    return this.#address(0, 4)
  }

  /** Address of a node, the same for clients and for other nodes. */
  hostOf(node: string): string {
    return this.#address(linkOf(node), 2)
  }

  /**
   * The beginning of a command that runs in the namespace of a node. Unlike `ip netns exec` it leaves `/sys` as it is, where Node
   * reads how much memory it may take.
   */
  entranceOf(node: string): string[] {
    return ['nsenter', `--net=/run/netns/${namespaceOf(process.pid, node)}`]
  }

  /**
   * Drops all packets between a node and other addresses, in both directions.
   * @returns lets them pass again
   */
  async cut(node: string, others: readonly string[]): Promise<() => Promise<void>> {
    const host = this.hostOf(node)
    const rules = others.flatMap((other) => [
      ['from', host, 'to', other, 'blackhole'],
      ['from', other, 'to', host, 'blackhole'],
    ])
    for (const rule of rules) await ip('-n', this.#router, 'rule', 'add', ...rule)
    return async () => {
      for (const rule of rules) await ip('-n', this.#router, 'rule', 'delete', ...rule)
    }
  }

  /** Removes it, and ends what still runs in it. */
  async close(): Promise<void> {
    await removeOf(process.pid)
  }

  async #make(): Promise<void> {
    const [device, router] = [this.#device, this.#router]
    await ip('netns', 'add', router)
    await ip('netns', 'exec', router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward')
    await ip('link', 'add', device, 'type', 'veth', 'peer', 'name', 'machine', 'netns', router)
    await ip('link', 'set', 'dev', device, 'up')
    this.#number = await this.#freeNumber()
    // The first is the address that clients and the balancer have.
    for (const host of [this.#address(0, 2), this.natsHost, this.databaseHost])
      await ip('address', 'add', `${host}/28`, 'dev', device)
    await this.#beginAtRouter('machine', 0)
    await ip('route', 'replace', this.#whole, 'via', this.#address(0, 1), 'dev', device)
    for (const node of NODE_NAMES) await this.#attach(node)
  }

  async #attach(node: string): Promise<void> {
    const [namespace, link] = [namespaceOf(process.pid, node), linkOf(node)]
    await ip('netns', 'add', namespace)
    await ip('-n', namespace, 'link', 'set', 'lo', 'up')
    const peer = ['type', 'veth', 'peer', 'name', node, 'netns', this.#router]
    await ip('-n', namespace, 'link', 'add', 'out', ...peer)
    await ip('-n', namespace, 'address', 'add', `${this.hostOf(node)}/28`, 'dev', 'out')
    await ip('-n', namespace, 'link', 'set', 'out', 'up')
    await ip('-n', namespace, 'route', 'add', 'default', 'via', this.#address(link, 1))
    await this.#beginAtRouter(node, link)
  }

  async #beginAtRouter(device: string, link: number): Promise<void> {
    await ip('-n', this.#router, 'address', 'add', `${this.#address(link, 1)}/28`, 'dev', device)
    await ip('-n', this.#router, 'link', 'set', 'dev', device, 'up')
  }

  /** Linux refuses a second route to the same addresses, so tests of several processes at a time have different ones. */
  async #freeNumber(): Promise<number> {
    let cause: unknown
    for (let tried = 0; tried < 256; tried++) {
      this.#number = (process.pid + tried) % 256
      try {
        await ip('route', 'add', this.#whole, 'dev', this.#device)
        return this.#number
      } catch (error) {
        cause = error
      }
    }
    throw new Error('no addresses are free', { cause })
  }

  /** All of its addresses. They are of the range for such tests (RFC 2544), whose other half has those of `network/`. */
  get #whole(): string {
    return `198.19.${this.#number}.0/24`
  }

  /** @param link 0 between router and machine, then those of the nodes @param host 1 is the router */
  #address(link: number, host: number): string {
    return `198.19.${this.#number}.${16 * link + host}`
  }
}

/** @throws when there is no such node */
function linkOf(node: string): number {
  const index = (NODE_NAMES as readonly string[]).indexOf(node)
  if (index < 0) throw new Error(`there is no node ${node}`)
  return 1 + index
}

async function namespaces(): Promise<string[]> {
  const lines = (await ip('netns', 'list')).toString().split('\n')
  return lines.map((line) => line.split(' ')[0] ?? '')
}

async function removeLeftovers(): Promise<void> {
  const makers = (await namespaces()).flatMap((name) => NAMESPACE.exec(name)?.[1] ?? []).map(Number)
  for (const pid of new Set(makers)) {
    // A number comes again after some time: what has this process's own is left over too.
    if (pid === process.pid || !(await isRunning(pid))) await removeOf(pid)
  }
}

/** Removes what a process made, or some of it if another one removes it at the same time. */
async function removeOf(pid: number): Promise<void> {
  const names = (await namespaces()).filter((name) => NAMESPACE.exec(name)?.[1] === String(pid))
  await Promise.allSettled(names.map(endProcessesIn))
  // A namespace outlives its name while sockets close in it. Its link to this machine does not.
  await Promise.allSettled([ip('link', 'delete', deviceOf(pid))])
  await Promise.allSettled(names.map((name) => ip('netns', 'delete', name)))
}

async function endProcessesIn(namespace: string): Promise<void> {
  const pids = (await ip('netns', 'pids', namespace)).toString().match(/\d+/g) ?? []
  killProcesses(pids.map(Number))
  await gone(pids.map(Number))
}
