/** Events that are written and delivered to a webhook in a second, with each kind of database. */
import { temporaryCluster } from '../../server/src/testing/temporary-cluster.ts'
import { measureDeliveries } from '../webhooks/deliveries.ts'

await measureDeliveries()
const postgres = await temporaryCluster()
try {
  await measureDeliveries(await postgres.createDatabase())
} finally {
  await postgres.remove()
}
