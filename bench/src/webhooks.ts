/** Events that are written and delivered to a webhook in a second. */
import { measureDeliveries } from '../webhooks/deliveries.ts'

await measureDeliveries()
