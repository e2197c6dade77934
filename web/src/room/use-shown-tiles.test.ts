import { expect, test } from 'vitest'
import type { MeetingTile } from './meeting-state.ts'
import { settledTiles } from './use-shown-tiles.ts'

const tile = (memberId: string, x: number, width: number): MeetingTile => ({
  ...{ memberId, x, y: 0, width, height: width },
  live: true,
})
const before = [tile('ada', 0, 50), tile('grace', 50, 50)]

test('tiles that move or go have no label until the picture follows', () => {
  expect(settledTiles(before, before)).toBe(before)
  expect(settledTiles(before, [tile('ada', 0, 50), tile('grace', 25, 50)])).toEqual([])
  expect(settledTiles(before, [tile('ada', 0, 50)])).toEqual([tile('ada', 0, 50)])
})

test('a tile that another one is put over has no label', () => {
  const full = { ...tile('screen', 0, 100) }
  expect(settledTiles(before, [full, ...before])).toEqual([])
  expect(settledTiles(before, [...before, tile('new', 60, 20)])).toEqual([tile('ada', 0, 50)])
})
