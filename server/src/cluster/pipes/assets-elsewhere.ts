import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { Refusal } from '../../errors/refusal.ts'
import { type Cluster, NodeUnreachable } from '../cluster.ts'
import { admitPipe } from './admit-pipe.ts'
import { requestOverPipe } from './request-over-pipe.ts'

/** Where nodes ask each other for an asset of their pages. */
export const ASSET_OF_NODE_PATH = '/cluster/asset'

/** Requests that may wait for other nodes at once. Each takes a connection to another node. */
const MOST_AT_ONCE = 50

/** Asks for an asset, by its file name. */
export interface AssetRequest {
  name: string
  method: 'GET' | 'HEAD'
  headers: OutgoingHttpHeaders
}

/** The assets of pages that other nodes serve, while an upgrade goes from node to node. */
export interface AssetsElsewhere {
  /**
   * Asks the nodes whose pages are not those of this one.
   * @returns null if none of them has it
   * @throws Refusal `unavailable` when too many wait already
   */
  fetch(request: AssetRequest): Promise<IncomingMessage | null>
  /** The name that another node asks for, and the proof for the answer; null for everybody else. */
  admit(request: IncomingMessage): { name: string; proof: string } | null
}

export function createAssetsElsewhere({ nodes }: Pick<Cluster, 'nodes'>): AssetsElsewhere {
  let waiting = 0

  async function ask({ name, method, headers }: AssetRequest): Promise<IncomingMessage | null> {
    const { pages } = nodes.self
    for (const node of nodes.others) {
      if (!node.pages || node.pages === pages) continue
      try {
        const answer = await requestOverPipe(node, { path: ASSET_OF_NODE_PATH, method, headers, said: name })
        if (answer.statusCode === 200) return answer
        answer.destroy()
      } catch (error) {
        // Another node may have it.
        if (!(error instanceof NodeUnreachable)) throw error
      }
    }
    return null
  }

  return {
    async fetch(request) {
      if (waiting >= MOST_AT_ONCE)
        throw new Refusal('unavailable', 'The server is busy. Try again in a few seconds.')
      waiting++
      try {
        return await ask(request)
      } finally {
        waiting--
      }
    },
    admit(request) {
      const admitted = admitPipe(request, nodes.self.linkKey)
      return admitted && { name: admitted.said, proof: admitted.proof }
    },
  }
}
