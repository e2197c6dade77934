/** Cost of the REST API: its throughput, its long lists, and its latency while rooms are live. */
import { onAServer } from '../on-a-server.ts'
import { measureLatency } from '../rest/latency.ts'
import { measureLists } from '../rest/lists.ts'
import { measureThroughput } from '../rest/throughput.ts'

const UNLIMITED = { PARLEY_REQUESTS_PER_MINUTE: '0' }

await onAServer('rest', { ...UNLIMITED, PARLEY_MEDIA_WORKERS: '1' }, async (stage) => {
  await measureThroughput(stage)
  await measureLists(stage)
})
await onAServer('rest-live', UNLIMITED, measureLatency)
