/**
 * The main ratios in less than a minute, for `npm test`: whether something has become about twice as dear. It judges no
 * times, but ratios of work that ran at the same time, so that other load on the machine affects both.
 */
import { onAServer } from '../on-a-server.ts'
import { guardRooms } from './live.ts'
import { guardRest } from './rest.ts'

/** Who vanishes is gone at once, so that the next room is alone. */
const ENV = {
  PARLEY_RECONNECT_GRACE_SECONDS: '0',
  PARLEY_SESSION_GRACE_SECONDS: '0',
  PARLEY_REQUESTS_PER_MINUTE: '0',
}

await onAServer('guard', ENV, async (stage) => {
  await guardRooms(stage)
  await guardRest(stage)
})
