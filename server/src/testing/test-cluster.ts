import { aloneCluster } from '../cluster/alone.ts'

/** The cluster of a server that has no others. */
export const testCluster = () =>
  aloneCluster('test', {
    version: 'test',
    pages: '',
    load: () => ({ media: 0, sessions: 0, members: 0 }),
    isDraining: () => false,
  })
