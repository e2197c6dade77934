import { expect, test } from 'vitest'
import { nextDetector, silentDetector } from './speech-detector.ts'

/** When it tells, of levels that come every 100 ms. */
function toldAt(levels: readonly number[]): number[] {
  let detector = silentDetector
  return levels.flatMap((level, index) => {
    const [next, tells] = nextDetector(detector, level, index * 100)
    detector = next
    return tells ? [index * 100] : []
  })
}
const loud = (count: number) => Array<number>(count).fill(-30)
const still = (count: number) => Array<number>(count).fill(-70)

test.each([
  ['speech is told', loud(20), [600]],
  ['a cough is not', [...loud(4), ...still(10), ...loud(4)], []],
  ['words with pauses are speech', [...loud(3), ...still(3), ...loud(3), ...still(2), ...loud(3)], [600]],
  ['a quiet room is not', still(50), []],
  ['it is told again after a while only', loud(400), [600, 30_600]],
])('%s', (_, levels, told) => {
  expect(toldAt(levels)).toEqual(told)
})
