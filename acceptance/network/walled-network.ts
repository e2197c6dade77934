import { run } from '../testing/commands.ts'

const FAR = '198.18.79.9/24'

/**
 * A network behind a firewall that lets TCP to port 443 out, and drops everything else without a word. Needs root, and
 * iptables.
 */
export class WalledNetwork {
  /** Name of the network namespace behind the firewall. */
  readonly namespace = `parley-wall-${process.pid}`
  /** Addresses of this machine as the network behind the firewall reaches it. */
  readonly addresses = ['198.18.79.1', '198.18.79.2'] as const
  /** This machine's end. The names of devices have 15 characters at most. */
  readonly #device = `wall${process.pid}`

  static async open(): Promise<WalledNetwork> {
    const network = new WalledNetwork()
    try {
      await network.#make()
      return network
    } catch (error) {
      await network.close()
      throw error
    }
  }

  async #make(): Promise<void> {
    const [device, far] = [this.#device, this.namespace]
    const ip = (...args: string[]) => run('ip', args)
    await ip('netns', 'add', far)
    await ip('link', 'add', device, 'type', 'veth', 'peer', 'name', 'out', 'netns', far)
    for (const address of this.addresses) await ip('address', 'add', `${address}/24`, 'dev', device)
    await ip('link', 'set', device, 'up')
    await ip('-n', far, 'address', 'add', FAR, 'dev', 'out')
    await ip('-n', far, 'link', 'set', 'lo', 'up')
    await ip('-n', far, 'link', 'set', 'out', 'up')
    await ip('-n', far, 'route', 'add', 'default', 'via', this.addresses[0])
    for (const rule of this.#rules()) await run('iptables', ['-t', 'raw', '-A', ...rule])
  }

  /** Both ways, and before connections are tracked, so that nothing else of this machine is concerned. */
  #rules(): string[][] {
    const [inwards, outwards] = [
      ['PREROUTING', '-i', this.#device],
      ['OUTPUT', '-o', this.#device],
    ]
    return [
      [...inwards, '-p', 'tcp', '--dport', '443', '-j', 'ACCEPT'],
      [...inwards, '-j', 'DROP'],
      [...outwards, '-p', 'tcp', '--sport', '443', '-j', 'ACCEPT'],
      [...outwards, '-j', 'DROP'],
    ]
  }

  /** Removes it. Processes in it must have ended. */
  async close(): Promise<void> {
    const all = [
      ...this.#rules().map((rule) => run('iptables', ['-t', 'raw', '-D', ...rule])),
      run('ip', ['link', 'delete', this.#device]),
    ]
    await Promise.allSettled(all)
    await run('ip', ['netns', 'delete', this.namespace])
  }
}
