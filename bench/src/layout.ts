/**
 * Measures the time from a member's `setLayout` to the first composed picture in the new arrangement that another member
 * sees. One member is white. The other watches the place where the white tile is in one layout and is not in the other.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { PARTICIPANTS } from '../../acceptance/testing/colours.ts'
import { middleOf } from '../../acceptance/testing/seen-and-heard.ts'
import { median } from '../median.ts'
import { onAServer } from '../on-a-server.ts'
import { report } from '../report.ts'

const CHANGES = 40
const SETTLE_MS = 4000
const LIMIT_MS = 300
const HALF_BRIGHT = 128
const [GREEN, RED] = PARTICIPANTS
/** Two tiles side by side, and one tile that the first member fills. */
const WHITE_IS_SEEN = 'grid-responsive'
const RED_IS_SEEN = '1x1'

const now = () => performance.timeOrigin + performance.now()

await onAServer('layout', {}, async (stage) => {
  const viewer = await stage.prepare(await stage.launch(RED), 'layout')
  const permissions = ['room.set_layout']
  const mover = await stage.prepare(await stage.launch(GREEN), 'layout', { source: 'mark' }, { permissions })
  await viewer.participant.joinAndAwaitFirstFrame(viewer.token)
  await mover.participant.joinAndAwaitFirstFrame(mover.token)
  const { memberId } = mover.participant
  const tile = (await viewer.participant.layoutOf([viewer.participant.memberId, memberId])).get(memberId)
  if (tile === undefined) throw new Error('the member who changes the layout has no tile')
  await mover.participant.ask('showMark', true)
  await delay(SETTLE_MS)
  await viewer.participant.ask('watchRegion', middleOf(tile))
  const changes: { atMs: number; isWhite: boolean }[] = []
  for (let change = 0; change < CHANGES; change++) {
    const isWhite = change % 2 === 1
    // A random delay, so that the changes are not in step with the frames of the room.
    await delay(600 + Math.random() * 200)
    changes.push({ atMs: now(), isWhite })
    await mover.participant.call('setLayout', { name: isWhite ? WHITE_IS_SEEN : RED_IS_SEEN })
  }
  await delay(1000)
  const frames = await viewer.participant.ask('stopWatching')
  const delays = changes.map(({ atMs, isWhite }) => {
    const shown = frames.find((frame) => frame.atMs > atMs && frame.brightness > HALF_BRIGHT === isWhite)
    if (shown === undefined) throw new Error('a change of the layout was never seen')
    return shown.atMs - atMs
  })
  console.log(`layout: ${delays.map((each) => each.toFixed(0)).join(' ')} ms`)
  const what = 'setLayout of one member to the picture of another, median'
  report({ what, value: median(delays), unit: 'ms', limit: LIMIT_MS, direction: 'at most' })
})
