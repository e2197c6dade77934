/** Cost of open dashboards: they all read one stream of news, which is made once. */
import { measureDashboards } from '../dashboard/open-dashboards.ts'
import { onAServer } from '../on-a-server.ts'

await onAServer(
  'dashboards',
  { PARLEY_REQUESTS_PER_MINUTE: '0', PARLEY_MEDIA_WORKERS: '1' },
  measureDashboards,
)
