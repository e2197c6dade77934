import { expect, test } from 'vitest'
import { layOutTiles } from './tile-layout.ts'

const canvas = { width: 1280, height: 720 }
const tile = (memberId: string, x: number, y: number, side: number) => ({
  memberId,
  x,
  y,
  width: side,
  height: side,
})
const below = [tile('a', 0, 25, 50), tile('b', 50, 25, 50)]

test('tiles below one that hides them whole are covered, and it needs no gap', () => {
  const views = layOutTiles([...below, tile('b', 0, 0, 100), tile('c', 0, 0, 25)], [], canvas)
  expect(views.map(({ isCovered }) => isCovered)).toEqual([true, true, false, false])
  const alone = layOutTiles([...below, tile('b', 0, 0, 100)], [], canvas)
  expect(alone.at(-1)?.area).toEqual({ x: 0, y: 0, width: 1280, height: 720 })
})

test('a tile that is covered in part is drawn', () => {
  const views = layOutTiles([tile('a', 0, 0, 33), tile('b', 0, 0, 16)], [], canvas)
  expect(views.map(({ isCovered }) => isCovered)).toEqual([false, false])
  expect(views[0]?.above).toEqual([views[1]])
})

test('a view is taken over, and is no longer covered when the cover is gone', () => {
  const covered = layOutTiles([...below, tile('c', 0, 0, 100), tile('d', 75, 75, 25)], [], canvas)
  const free = layOutTiles(below, covered, canvas)
  expect(free).toEqual([covered[0], covered[1]])
  expect(free.map(({ isCovered }) => isCovered)).toEqual([false, false])
})
