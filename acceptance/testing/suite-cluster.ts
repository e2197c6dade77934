import { ObjectStoreServer } from '../../server/src/testing/object-store-server.ts'
import { ThreeNodes } from '../cluster/three-nodes.ts'
import type { Access } from './rest.ts'

/** Three nodes behind a balancer, with a store, in the place of the one server that a suite was written for. */
export class SuiteCluster {
  readonly #nodes: ThreeNodes
  readonly #store: ObjectStoreServer

  private constructor(nodes: ThreeNodes, store: ObjectStoreServer) {
    this.#nodes = nodes
    this.#store = store
  }

  /** @param env options of all nodes; `PARLEY_PORT` is that of the balancer */
  static async start(name: string, env: Record<string, string>): Promise<SuiteCluster> {
    const store = await ObjectStoreServer.start()
    try {
      const nodes = await ThreeNodes.start(`cluster-${name}`, { ...store.env, ...env })
      return new SuiteCluster(nodes, store)
    } catch (error) {
      await store.stop()
      throw error
    }
  }

  /** Address of the balancer, and the credentials. */
  get access(): Access {
    return this.#nodes.access
  }

  /** The values of a metric, of all nodes. */
  async metric(name: string): Promise<number[]> {
    const ofNodes = this.#nodes.names.map(async (node) => {
      const rest = this.#nodes.restOf(node)
      try {
        return await rest.metric(name)
      } finally {
        await rest.close()
      }
    })
    return (await Promise.all(ofNodes)).flat()
  }

  /** Kills all nodes with their children at once, and starts them again. */
  async killAndLaunch(): Promise<void> {
    const nodes = [...this.#nodes.nodes.values()]
    await Promise.all(nodes.map((node) => node.killEverything()))
    await Promise.all(nodes.map((node) => node.launch()))
  }

  /** The last lines of the log of each node. */
  logTail(lines: number): string {
    return [...this.#nodes.nodes].map(([name, node]) => `${name}:\n${node.logTail(lines)}`).join('\n')
  }

  async stop(): Promise<void> {
    await this.#nodes.stop()
    await this.#store.stop()
  }
}
