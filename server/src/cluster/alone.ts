import { newId } from '../ids.ts'
import { type Claim, type Cluster, NodeUnreachable, type SelfDescription } from './cluster.ts'
import { LocalAnswers } from './local-answers.ts'

const nothing = () => {}

/** A cluster of one node. It opens no connection and starts no timer. */
export function aloneCluster(name: string, self: SelfDescription): Cluster {
  const held = new Map<string, Claim>()
  const answers = new LocalAnswers()
  const run = newId()
  return {
    isAlone: true,
    isConnected: true,
    nodes: {
      get self() {
        const load = self.load()
        const isDraining = self.isDraining()
        const { version, pages } = self
        return {
          name,
          run,
          address: '',
          linkKey: '',
          version,
          pages,
          labels: {},
          isDraining,
          load,
          now: Date.now(),
        }
      },
      others: [],
      find(asked) {
        return asked === name ? this.self : undefined
      },
      announce: nothing,
      onGone: () => nothing,
    },
    messages: {
      publish: nothing,
      subscribe: () => nothing,
      async request(node, subject, message) {
        if (node !== name) throw new NodeUnreachable(`there is no node ${node}`)
        return answers.answer(subject, message, name)
      },
      serve: (subject, answer) => answers.add(subject, answer),
      onGap: () => nothing,
    },
    claims: {
      find: async (key) => held.get(key) ?? null,
      async claim(key) {
        const claim = held.get(key) ?? { key, node: name, revision: 0 }
        held.set(key, claim)
        return claim
      },
      held: (key) => held.get(key),
      async release(key) {
        held.delete(key)
      },
      onLost: () => nothing,
    },
    stop: async () => {},
  }
}
