import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Cluster, ClusterNode } from '../cluster/cluster.ts'
import type { ViewerHost } from '../media/viewer-host.ts'
import { ManualClock } from '../testing/simulation/manual-clock.ts'
import { testCluster } from '../testing/test-cluster.ts'
import { FeedExits } from './feed-exits.ts'
import { ServingNodes } from './serving-nodes.ts'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
const FEED = { feedId: 'f', secret: 's', fullBitrateBps: 1, host: '127.0.0.1', port: 1 }

/** What a node says of itself. */
interface Said {
  region?: string
  media?: number
  isDraining?: boolean
  servesViewers?: boolean
}

let clock: ManualClock
let others: ClusterNode[]
let machines: ServingNodes
let notices: string[]

const nodeOf = (
  name: string,
  { region, media = 0, isDraining = false, servesViewers = true }: Said = {},
) => ({
  name,
  run: `run of ${name}`,
  address: '127.0.0.1:1',
  linkKey: '',
  version: '1',
  labels: region === undefined ? {} : { region },
  isDraining,
  load: { media, sessions: 0, members: 0, servesViewers },
  now: 0,
})

/** The nodes as they are from now on. Each has been asked before whether it is ready to serve. */
async function say(nodes: Record<string, Said>): Promise<void> {
  for (const name of Object.keys(nodes)) {
    others = [nodeOf(name, { region: 'here' })]
    machines.place(new Set(), 1)
  }
  others = Object.entries(nodes).map(([name, said]) => nodeOf(name, said))
  await settled()
}
const place = (below = 1, serving: ViewerHost[] = []) =>
  machines.place(new Set(serving), below)?.facts.node ?? null

beforeEach(() => {
  clock = new ManualClock(settled)
  notices = []
  others = []
  const alone = testCluster()
  const self = { ...nodeOf('self'), labels: { region: 'here' } }
  const nodes: Cluster['nodes'] = {
    self,
    get others() {
      return others
    },
    find: (name) => others.find((one) => one.name === name),
    announce: () => {},
    onGone: () => () => {},
  }
  // Every node grants every wish.
  const messages = { ...alone.messages, request: async () => ({ result: null }) }
  machines = new ServingNodes({
    cluster: { ...alone, isAlone: false, nodes, messages },
    exits: new FeedExits(nodes),
    clock,
    log: pino({ level: 'silent' }),
    onNotice: (host, sessionId, { event }) => notices.push(`${host.facts.node} ${sessionId} ${event}`),
  })
})
afterEach(() => machines.stop())

describe('one more viewer is placed', () => {
  test('on the least busy node, if that is less busy than this one by more than a feed costs', async () => {
    await say({ a: { media: 0.5 }, b: { media: 0.3 }, c: { media: 0.4 } })
    expect([place(), place(0.36), place(0.34)]).toEqual(['b', 'b', null])
  })

  test('in the region of this node, and elsewhere only if no node of the region serves viewers', async () => {
    await say({ near: { region: 'here', media: 0.8 }, far: { region: 'there', media: 0 } })
    expect(place()).toBe('near')
    // A busy region keeps its viewers: another one is farther from them.
    expect(place(0.5)).toBeNull()
    others = [nodeOf('near', { region: 'here', isDraining: true }), nodeOf('far', { region: 'there' })]
    expect(place()).toBe('far')
    others = [nodeOf('near', { region: 'here', servesViewers: false }), nodeOf('far', { region: 'there' })]
    expect(place()).toBe('far')
    others = [nodeOf('unlabelled'), nodeOf('far', { region: 'there', media: 0.5 })]
    expect([machines.admitAudience, place()]).toEqual([true, 'far'])
  })

  test('on no node that drains, or says that it has no power for viewers', async () => {
    await say({ a: { isDraining: true }, b: { servesViewers: false } })
    expect([machines.admitAudience, place()]).toEqual([false, null])
    others = []
    expect([machines.admitAudience, place()]).toEqual([false, null])
  })

  test('on a node that has the room already, rather than on one that is a little less busy', async () => {
    await say({ a: { region: 'here', media: 0.3 }, b: { region: 'here', media: 0.28 } })
    const b = machines.place(new Set(), 1)!
    expect(b.facts.node).toBe('b')
    others = [nodeOf('a', { region: 'here', media: 0.3 }), nodeOf('b', { region: 'here', media: 0.34 })]
    expect(place(1, [b])).toBe('b')
    others = [nodeOf('a', { region: 'here', media: 0.3 }), nodeOf('b', { region: 'here', media: 0.36 })]
    expect(place(1, [b])).toBe('a')
  })

  test('in turn, until the nodes report what the viewers take', async () => {
    await say({ a: { region: 'here' }, b: { region: 'here' } })
    const placed = Array.from({ length: 10 }, () => place())
    expect(placed.filter((name) => name === 'a')).toHaveLength(5)
    for (let viewer = 0; viewer < 500; viewer++) place(0.3)
    // A quarter of each machine is taken by those, as far as is known.
    expect(place(0.3)).toBeNull()
    others = [nodeOf('a', { region: 'here', media: 0.1 }), nodeOf('b', { region: 'here', media: 0.2 })]
    expect(place(0.3)).toBe('a')
  })
})

test('viewers leave a node that begins to drain, and one that has started anew', async () => {
  await say({ a: { region: 'here' }, b: { region: 'here', media: 0.1 } })
  const a = machines.place(new Set(), 1)!
  await a.call('serveRoom', { sessionId: 'hall', feed: FEED } as never)
  others = [nodeOf('a', { region: 'here', isDraining: true }), nodeOf('b', { region: 'here' })]
  await clock.advance(250)
  expect(notices).toEqual(['a hall died'])
  const next = machines.place(new Set(), 1)!
  expect(next.facts.node).toBe('b')
  await next.call('serveRoom', { sessionId: 'hall', feed: FEED } as never)
  others = [{ ...nodeOf('b', { region: 'here' }), run: 'another run' }]
  await clock.advance(250)
  expect(notices).toEqual(['a hall died', 'b hall died'])
})
