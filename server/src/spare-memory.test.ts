import { expect, test } from 'vitest'
import { SpareAfterRooms } from './spare-memory.ts'

test('memory is given back once after rooms have ended, and never while there is one', () => {
  const spare = new SpareAfterRooms(3)
  const looks = (...idle: boolean[]) => idle.map((isIdle) => spare.look(isIdle))
  expect(looks(true, true, true, true)).toEqual([false, false, false, false])
  expect(looks(false, true, true, false)).toEqual([false, false, false, false])
  expect(looks(true, true, true, true, true)).toEqual([false, false, true, false, false])
  expect(looks(false, true, true, true)).toEqual([false, false, false, true])
})
