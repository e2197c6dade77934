import { describe, expect, test } from 'vitest'
import { isLayoutName, LIVE_LAYOUTS, REST_LAYOUTS } from '../../resources/layout-names.ts'
import type { LayoutMember } from './layout-types.ts'
import { AVAILABLE_LAYOUTS, arrange, currentPositions, memberTiles } from './layouts.ts'

const member = (id: string, requestedPosition = 'auto'): LayoutMember => ({
  id,
  requestedPosition,
  videoMuted: false,
  handRaised: false,
})

describe('layouts', () => {
  test('REST knows thirteen; a session knows those and more', () => {
    expect(new Set(REST_LAYOUTS).size).toBe(13)
    expect(new Set(LIVE_LAYOUTS).size).toBe(LIVE_LAYOUTS.length)
    expect(LIVE_LAYOUTS.slice(0, 13)).toEqual(REST_LAYOUTS)
    expect(LIVE_LAYOUTS.every(isLayoutName)).toBe(true)
    expect(['', 'auto', 'GRID-RESPONSIVE', '7x7', 'length'].some(isLayoutName)).toBe(false)
  })

  test.each(LIVE_LAYOUTS)('%s arranges everybody and says what was applied', (name) => {
    const layout = arrange(name, [member('m-1'), member('m-2'), member('m-3', 'off-canvas')])
    expect(layout.name).toBe(AVAILABLE_LAYOUTS.includes(name) ? name : 'grid-responsive')
    expect([...currentPositions(layout).keys()].toSorted()).toEqual(['m-1', 'm-2', 'm-3'])
    expect(currentPositions(layout).get('m-3')).toBe('off-canvas')
  })

  test('positions and tiles tell the same as the layers', () => {
    const layout = arrange('grid-responsive', [member('m-1', 'standard-2'), member('m-2')])
    expect(currentPositions(layout)).toEqual(
      new Map([
        ['m-2', 'standard-1'],
        ['m-1', 'standard-2'],
      ]),
    )
    const [file] = arrange('grid-responsive', [member('m-3')]).layers
    const { member_id: _gone, ...empty } = file!
    expect(memberTiles([...layout.layers, empty])).toEqual([
      { memberId: 'm-2', x: 0, y: 25, width: 50, height: 50 },
      { memberId: 'm-1', x: 50, y: 25, width: 50, height: 50 },
    ])
  })
})
