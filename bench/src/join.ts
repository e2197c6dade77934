/**
 * Time from `join()` of the published client to the first decoded frame of the composed picture, in a room that is
 * running already and in a room that the join starts.
 */
import { PARTICIPANTS } from '../../acceptance/testing/colours.ts'
import { median } from '../median.ts'
import { type Browser, onAServer, type Stage } from '../on-a-server.ts'
import { report } from '../report.ts'

const JOINS = 15
const WARM_UP_JOINS = 2
const LIMIT_MS = 480
const [GREEN, RED] = PARTICIPANTS

async function joinTimesMs(
  { prepare }: Stage,
  browser: Browser,
  roomOf: (join: number) => string,
): Promise<number[]> {
  const times: number[] = []
  for (let join = 0; join < WARM_UP_JOINS + JOINS; join++) {
    const { participant, token } = await prepare(browser, roomOf(join))
    const { joinCalledAtMs, firstFrameAtMs } = await participant.joinAndAwaitFirstFrame(token)
    if (join >= WARM_UP_JOINS) times.push(firstFrameAtMs - joinCalledAtMs)
    await participant.leave()
    await participant.close()
  }
  return times
}

function tell(what: string, times: readonly number[]): void {
  console.log(`${what}: ${times.map((time) => time.toFixed(0)).join(' ')} ms`)
  report({ what, value: median(times), unit: 'ms', limit: LIMIT_MS, direction: 'at most' })
}

await onAServer('join', { PARLEY_SESSION_GRACE_SECONDS: '0' }, async (stage) => {
  const resident = await stage.prepare(await stage.launch(GREEN), 'running')
  await resident.participant.joinAndAwaitFirstFrame(resident.token)
  const browser = await stage.launch(RED)
  const joined = await joinTimesMs(stage, browser, () => 'running')
  tell('join() to the first composed frame, median, running room', joined)
  await resident.participant.leave()
  const started = await joinTimesMs(stage, browser, (join) => `new-${join}`)
  tell('join() to the first composed frame, median, new room', started)
})
