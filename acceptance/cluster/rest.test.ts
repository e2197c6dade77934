import { afterAll } from 'vitest'
import { ObjectStoreServer } from '../../server/src/testing/object-store-server.ts'
import { restSuite } from '../rest/rest-suite.ts'
import { administer } from '../testing/administration.ts'
import { ThreeNodes } from './three-nodes.ts'

// The whole suite, whose requests a balancer sends to three nodes in turn. Recordings are in a store: a disk is that of one node.
const store = await ObjectStoreServer.start()
const all = await ThreeNodes.start('cluster-rest', {
  PARLEY_REQUESTS_PER_MINUTE: '0',
  PARLEY_FAILED_SIGN_INS_PER_MINUTE: '1000',
  PARLEY_SESSION_GRACE_SECONDS: '0',
  PARLEY_MAX_WEBHOOKS_PER_PROJECT: '10000',
  ...store.env,
})
afterAll(async () => {
  await all.stop()
  await store.stop()
})

const first = all.node('a')
const { projectId, apiToken } = first.access
const parley = (...args: string[]) => administer(first, ...args)
const otherProjectId = await parley('projects', 'create', '--name', 'other')

Object.assign(process.env, {
  PARLEY_BASE_URL: all.url.replace(/^wss/, 'https'),
  PARLEY_PROJECT_ID: projectId,
  PARLEY_API_TOKEN: apiToken,
  PARLEY_CA_FILE: all.folderOf('a', 'tls/ca.pem'),
  PARLEY_LIMITED_API_TOKEN: await parley('tokens', 'create', '--project', projectId, '--scopes', 'fax'),
  PARLEY_OTHER_PROJECT_ID: otherProjectId,
  PARLEY_OTHER_API_TOKEN: await parley('tokens', 'create', '--project', otherProjectId, '--scopes', 'all'),
})

restSuite('cluster-rest')
