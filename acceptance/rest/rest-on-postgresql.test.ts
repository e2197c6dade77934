import { afterAll } from 'vitest'
import { temporaryCluster } from '../../server/src/testing/temporary-cluster.ts'
import { restSuite } from './rest-suite.ts'

const cluster = await temporaryCluster()
afterAll(() => cluster.remove())

restSuite('rest-on-postgresql', {
  env: { PARLEY_DATABASE_URL: await cluster.createDatabase() },
  withFaults: true,
})
