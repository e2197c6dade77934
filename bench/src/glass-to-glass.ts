/**
 * Measures the delay from one member's camera to the composed picture that another member sees. One page paints its
 * camera white from time to time. Another page records when the member's tile turns white. Both read the clock of the
 * same machine.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { PresentedFrame } from '../../acceptance/page/picture.ts'
import { PARTICIPANTS } from '../../acceptance/testing/colours.ts'
import { middleOf } from '../../acceptance/testing/seen-and-heard.ts'
import { median } from '../median.ts'
import { onAServer } from '../on-a-server.ts'
import { report } from '../report.ts'

const MARKS = 40
const SETTLE_MS = 4000
const LIMIT_MS = 110
const HALF_BRIGHT = 128
const [GREEN, RED] = PARTICIPANTS

/** For each mark: milliseconds from painting it until the first frame that shows it. */
function delaysMs(paintedAtMs: readonly number[], frames: readonly PresentedFrame[]): number[] {
  return paintedAtMs.map((painted) => {
    const seen = frames.find(({ atMs, brightness }) => atMs > painted && brightness > HALF_BRIGHT)
    if (seen === undefined) throw new Error('a mark never appeared')
    return seen.atMs - painted
  })
}

await onAServer('glass-to-glass', {}, async (stage) => {
  const viewer = await stage.prepare(await stage.launch(GREEN), 'glass')
  const sender = await stage.prepare(await stage.launch(RED), 'glass', { source: 'mark' })
  await viewer.participant.joinAndAwaitFirstFrame(viewer.token)
  await sender.participant.joinAndAwaitFirstFrame(sender.token)
  const { memberId } = sender.participant
  const tile = (await viewer.participant.layoutOf([viewer.participant.memberId, memberId])).get(memberId)
  if (tile === undefined) throw new Error('the sender has no tile')
  await delay(SETTLE_MS)
  await viewer.participant.ask('watchRegion', middleOf(tile))
  const paintedAtMs: number[] = []
  for (let mark = 0; mark < MARKS; mark++) {
    // A random delay, so that the marks are not in step with the frames of camera or room.
    await delay(400 + Math.random() * 200)
    paintedAtMs.push(await sender.participant.ask('showMark', true))
    await delay(400)
    await sender.participant.ask('showMark', false)
  }
  await delay(1000)
  const delays = delaysMs(paintedAtMs, await viewer.participant.ask('stopWatching'))
  console.log(`glass to glass: ${delays.map((each) => each.toFixed(0)).join(' ')} ms`)
  const what = 'camera of one member to the picture of another, median'
  report({ what, value: median(delays), unit: 'ms', limit: LIMIT_MS, direction: 'at most' })
})
