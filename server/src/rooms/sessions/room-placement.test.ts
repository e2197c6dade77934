import { expect, test } from 'vitest'
import type { ClusterNode } from '../../cluster/cluster.ts'
import { chooseNode } from './room-placement.ts'

const node = (
  name: string,
  media: number,
  sessions: number,
  more: Partial<ClusterNode> = {},
): ClusterNode => ({
  name,
  run: name,
  address: 'x:1',
  linkKey: '',
  now: 0,
  version: '1',
  labels: {},
  isDraining: false,
  load: { media, sessions, members: 0 },
  ...more,
})
/** Without its database, for example. */
const lacking = (name: string) =>
  node(name, 0, 0, { load: { media: 0, sessions: 0, members: 0, beginsRooms: false } })
const sessions = ({ load }: ClusterNode) => load.sessions

test.each<[string, ClusterNode, ClusterNode[], string]>([
  ['alone', node('a', 0.9, 9), [], 'a'],
  ['the least loaded', node('a', 0.5, 0), [node('b', 0.2, 9), node('c', 0.7, 0)], 'b'],
  ['the one with fewer rooms, when loads hardly differ', node('a', 0.21, 3), [node('b', 0.25, 2)], 'b'],
  ['itself among equals', node('b', 0, 1), [node('a', 0, 1)], 'b'],
  ['none that drains', node('a', 0, 0, { isDraining: true }), [node('b', 0.9, 9)], 'b'],
  [
    'itself when all drain',
    node('a', 0, 0, { isDraining: true }),
    [node('b', 0, 0, { isDraining: true })],
    'a',
  ],
  ['none that lacks something', lacking('a'), [lacking('b'), node('c', 0.9, 9)], 'c'],
  ['itself when all lack something', lacking('a'), [lacking('b')], 'a'],
  [
    'one of its region',
    node('a', 0.5, 5, { labels: { region: 'eu' } }),
    [node('b', 0, 0, { labels: { region: 'us' } }), node('c', 0.4, 5, { labels: { region: 'eu' } })],
    'c',
  ],
  [
    'another region when its own takes nothing',
    node('a', 0, 0, { labels: { region: 'eu' }, isDraining: true }),
    [node('b', 0.8, 5, { labels: { region: 'us' } })],
    'b',
  ],
])('a room begins on %s', (_, self, others, chosen) => {
  expect(chooseNode(self, others, sessions).name).toBe(chosen)
})
