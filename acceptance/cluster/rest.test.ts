import { afterAll } from 'vitest'
import { ObjectStoreServer } from '../../server/src/testing/object-store-server.ts'
import { asElsewhere } from '../rest/elsewhere.ts'
import { REST_SUITE_OPTIONS, restSuite } from '../rest/rest-suite.ts'
import { ThreeNodes } from './three-nodes.ts'

// The whole suite, whose requests a balancer sends to three nodes in turn. Recordings are in a store: a disk is that of one node.
const store = await ObjectStoreServer.start()
const all = await ThreeNodes.start('cluster-rest', {
  ...REST_SUITE_OPTIONS,
  ...store.env,
})
afterAll(async () => {
  await all.stop()
  await store.stop()
})

Object.assign(process.env, await asElsewhere(all.node('a'), all.access.baseUrl))

restSuite('cluster-rest')
