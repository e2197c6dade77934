import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLayoutName, type LayoutName, LIVE_LAYOUTS, REST_LAYOUTS } from '../../resources/layout-names.ts'
import type { Layout, LayoutFile, LayoutLayer, LayoutMember, LayoutOptions } from './layout-types.ts'
import { AVAILABLE_LAYOUTS, arrange, currentPositions, pictureTiles } from './layouts.ts'

const member = (id: string, fields: Partial<LayoutMember> = {}): LayoutMember => ({
  id,
  type: 'member',
  requestedPosition: 'auto',
  requestOrder: 0,
  sendsVideo: true,
  videoMuted: false,
  handRaisedAt: null,
  ...fields,
})

const crowd = (count: number) => Array.from({ length: count }, (_, index) => member(`m-${index + 1}`))

const share = (id = 'share', fields: Partial<LayoutMember> = {}) => member(id, { type: 'screen', ...fields })

const file = (requestedPosition = 'auto', id = 'file'): LayoutFile => ({ id, requestedPosition })

const asks = (requestedPosition: string, requestOrder = 1) => ({ requestedPosition, requestOrder })

/** Position of everybody who is on the canvas, files included. */
const places = ({ layers }: Layout) =>
  Object.fromEntries(
    layers.flatMap(({ position, member_id, playback_id }) => {
      const id = member_id ?? playback_id
      return id === undefined ? [] : [[id, position]]
    }),
  )

const placeOf = (layout: Layout, id: string) => places(layout)[id] ?? 'off-canvas'

const anyName = fc.constantFrom(...LIVE_LAYOUTS)
const anyPosition = fc.oneof(
  { weight: 6, arbitrary: fc.constant('auto') },
  fc.integer({ min: 1, max: 120 }).map((number) => `standard-${number}`),
  fc.integer({ min: 1, max: 9 }).map((number) => `reserved-${number}`),
  fc.constantFrom('off-canvas', 'full-screen', 'playback', 'standard-0', 'standard-', 'nonsense'),
)
const anyMembers = fc
  .array(
    fc.record({
      type: fc.constantFrom('member', 'member', 'member', 'screen', 'device'),
      requestedPosition: anyPosition,
      requestOrder: fc.nat({ max: 1000 }),
      sendsVideo: fc.constantFrom(true, true, true, false),
      videoMuted: fc.boolean(),
      handRaisedAt: fc.option(fc.nat({ max: 50 })),
    }),
    { maxLength: 130, size: 'max' },
  )
  .map((members) => members.map((one, index): LayoutMember => ({ id: `m-${index + 1}`, ...one })))
const anyFiles = fc
  .array(fc.record({ requestedPosition: anyPosition, requestOrder: fc.nat({ max: 1000 }) }), { maxLength: 3 })
  .map((files) => files.map((one, index): LayoutFile => ({ id: `f-${index + 1}`, ...one })))
const anyOptions = fc.record<LayoutOptions>(
  {
    hideVideoMuted: fc.boolean(),
    prioritizeHandraise: fc.boolean(),
    speaker: fc.constantFrom(null, 'm-1', 'm-3', 'nobody'),
  },
  { requiredKeys: [] },
)

describe('names', () => {
  test('REST knows thirteen; a session knows those and more', () => {
    expect(new Set(REST_LAYOUTS).size).toBe(13)
    expect(new Set(LIVE_LAYOUTS).size).toBe(LIVE_LAYOUTS.length)
    expect(LIVE_LAYOUTS.slice(0, 13)).toEqual(REST_LAYOUTS)
    expect(AVAILABLE_LAYOUTS).toEqual(LIVE_LAYOUTS)
    expect(LIVE_LAYOUTS.every(isLayoutName)).toBe(true)
    expect(['', 'auto', 'GRID-RESPONSIVE', '7x7', 'length'].some(isLayoutName)).toBe(false)
  })
})

describe('for any room, in any layout', () => {
  const arranged = (
    check: (
      layout: Layout,
      input: { name: LayoutName; members: LayoutMember[]; options: LayoutOptions; files: LayoutFile[] },
    ) => void,
  ) =>
    fc.assert(
      fc.property(anyName, anyMembers, anyOptions, anyFiles, (name, members, options, files) =>
        check(arrange(name, members, options, files), { name, members, options, files }),
      ),
      { numRuns: 100 },
    )

  test('each member is shown once or off the canvas, and each file that may be seen once', () => {
    arranged((layout, { name, members, files }) => {
      const shown = layout.layers.flatMap(({ member_id }) => member_id ?? [])
      expect([...shown, ...layout.offCanvas].toSorted()).toEqual(members.map(({ id }) => id).toSorted())
      expect(layout.layers.flatMap(({ playback_id }) => playback_id ?? []).toSorted()).toEqual(
        files.filter(({ requestedPosition }) => requestedPosition !== 'off-canvas').map(({ id }) => id),
      )
      expect(layout.name).toBe(name)
      expect([...currentPositions(layout).keys()].toSorted()).toEqual(members.map(({ id }) => id).toSorted())
    })
  })

  test('those who are to be hidden are, and others only for want of a place', () => {
    arranged((layout, { name, members, options }) => {
      const hidden = members.filter(
        ({ requestedPosition, videoMuted, sendsVideo }) =>
          requestedPosition === 'off-canvas' || !sendsVideo || (options.hideVideoMuted && videoMuted),
      )
      for (const { id } of hidden) expect(layout.offCanvas).toContain(id)
      expect([...hidden.map(({ id }) => id), ...layout.waiting].toSorted()).toEqual(
        layout.offCanvas.toSorted(),
      )
      if (name.startsWith('grid') && layout.waiting.length > 0)
        expect(layout.layers.filter(({ z_index }) => z_index === 0)).toHaveLength(100)
    })
  })

  test('nobody else has a place that somebody asked for first', () => {
    arranged((layout, { members, files }) => {
      const holders = places(layout)
      const asking = [...members, ...files].filter(
        ({ id, requestedPosition }) => id in holders && /^(standard|reserved)-/.test(requestedPosition),
      )
      for (const layer of layout.layers) {
        const orders = asking
          .filter(({ requestedPosition }) => requestedPosition === layer.position)
          .map(({ requestOrder }) => requestOrder ?? 0)
        if (orders.length === 0) continue
        const holder = asking.find(({ id }) => id === (layer.member_id ?? layer.playback_id))
        expect(holder?.requestedPosition).toBe(layer.position)
        expect(holder?.requestOrder).toBe(Math.min(...orders))
      }
    })
  })

  test('no two places of a level overlap, all lie inside the canvas, in the order in which they are drawn', () => {
    arranged(({ layers }) => {
      layers.forEach((layer, index) => {
        expect(layer.layer_index).toBe(index)
        if (index > 0) expect(layer.z_index).toBeGreaterThanOrEqual(layers[index - 1]!.z_index)
        expect(Math.min(layer.x, layer.y)).toBeGreaterThanOrEqual(0)
        expect(Math.max(layer.x + layer.width, layer.y + layer.height)).toBeLessThanOrEqual(100 + 1e-9)
        expect(layer.reservation).toBe(layer.position.startsWith('reserved-') ? layer.position : '')
        if (layer.position === 'playback') return
        const level = layers.slice(index + 1).filter(({ z_index }) => z_index === layer.z_index)
        expect(level.some((other) => overlap(layer, other))).toBe(false)
      })
    })
  })

  test('a live picture is visible unless something covers the canvas', () => {
    arranged(({ layers }, { members }) => {
      const top = layers.findLastIndex(({ z_index }) => z_index >= 3)
      for (const [index, { visible, member_id, playing_file }] of layers.entries()) {
        const live = playing_file || members.find(({ id }) => id === member_id)?.videoMuted === false
        expect(visible).toBe(live && index >= top)
      }
    })
  })

  test('the same input gives the same result, and the input is left alone', () => {
    arranged((layout, { name, members, options, files }) => {
      const input = structuredClone({ members, options, files })
      expect(arrange(name, input.members, input.options, input.files)).toEqual(layout)
      expect(input).toEqual({ members, options, files })
    })
  })

  test('a later request takes nothing from an earlier one', () => {
    fc.assert(
      fc.property(anyName, anyMembers, anyPosition, (name, members, position) => {
        if (position === 'full-screen') return
        const before = arrange(name, members)
        const newcomer = member('late', { requestedPosition: position, requestOrder: 2000 })
        const after = arrange(name, [...members, newcomer])
        for (const { id, requestedPosition } of members)
          if (placeOf(before, id) === requestedPosition) expect(placeOf(after, id)).toBe(requestedPosition)
      }),
    )
  })
})

const overlap = (one: LayoutLayer, other: LayoutLayer) =>
  Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x) > 1e-9 &&
  Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y) > 1e-9

test('layers are as the client protocol has them', () => {
  expect(arrange('2x1', [member('m-1', { videoMuted: true })]).layers).toEqual([
    {
      member_id: 'm-1',
      x: 0,
      y: 25,
      width: 50,
      height: 50,
      layer_index: 0,
      z_index: 0,
      reservation: '',
      position: 'standard-1',
      playing_file: false,
      visible: false,
    },
    {
      x: 50,
      y: 25,
      width: 50,
      height: 50,
      layer_index: 1,
      z_index: 0,
      reservation: '',
      position: 'standard-2',
      playing_file: false,
      visible: false,
    },
  ])
  expect(arrange('grid-responsive', []).layers).toEqual([])
})

test('tiles are those of members and files, from the bottom up', () => {
  const layout = arrange('2x1', [member('m-1', asks('full-screen')), member('m-2')], {}, [file('standard-2')])
  expect(pictureTiles(layout.layers)).toEqual([
    { memberId: 'm-2', x: 0, y: 25, width: 50, height: 50 },
    { playbackId: 'file', x: 50, y: 25, width: 50, height: 50 },
    { memberId: 'm-1', x: 0, y: 0, width: 100, height: 100 },
  ])
})

describe('members without a request', () => {
  test('come in their order, raised hands first where the room wants it', () => {
    const members = crowd(5).map((one, index) => ({ ...one, handRaisedAt: [null, 9, null, 3, null][index]! }))
    const order = (options: LayoutOptions) =>
      Object.keys(places(arrange('grid-responsive', members, options)))
    expect(order({})).toEqual(['m-1', 'm-2', 'm-3', 'm-4', 'm-5'])
    expect(order({ prioritizeHandraise: true })).toEqual(['m-4', 'm-2', 'm-1', 'm-3', 'm-5'])
  })

  test('beyond the places of a layout wait off the canvas', () => {
    const layout = arrange('2x2', crowd(6))
    expect(layout.waiting).toEqual(['m-5', 'm-6'])
    expect(layout.automatic).toEqual(['m-1', 'm-2', 'm-3', 'm-4'])
    expect(currentPositions(layout).get('m-6')).toBe('off-canvas')
  })

  test('leave reserved places empty where there are standard ones, and fill them where there are none', () => {
    expect(places(arrange('1up-top-left5', crowd(2)))).toEqual({ 'm-1': 'standard-1', 'm-2': 'standard-2' })
    expect(places(arrange('full-screen', crowd(2)))).toEqual({ 'm-1': 'reserved-1' })
    const corners = arrange('screen-share', crowd(9))
    expect(placeOf(corners, 'm-1')).toBe('reserved-1')
    expect(placeOf(corners, 'm-8')).toBe('reserved-8')
    expect(corners.waiting).toEqual(['m-9'])
  })

  test('move up when one leaves, and nobody before it moves', () => {
    const before = arrange('3x3', crowd(5))
    const after = arrange(
      '3x3',
      crowd(5).filter(({ id }) => id !== 'm-3'),
    )
    expect(places(before)).toMatchObject({ 'm-2': 'standard-2', 'm-4': 'standard-4' })
    expect(places(after)).toEqual({
      'm-1': 'standard-1',
      'm-2': 'standard-2',
      'm-4': 'standard-3',
      'm-5': 'standard-4',
    })
  })
})

describe('requests', () => {
  test('for a place that the layout lacks count as auto, and wait for a layout that has it', () => {
    const members = [member('m-1', asks('reserved-1')), member('m-2')]
    expect(placeOf(arrange('2x2', members), 'm-1')).toBe('standard-1')
    expect(placeOf(arrange('1up-top-left5', members), 'm-1')).toBe('reserved-1')
    expect(placeOf(arrange('grid-responsive', [member('m-1', asks('standard-2'))]), 'm-1')).toBe('standard-1')
  })

  test('for full-screen lie over everything; the latest wins', () => {
    const members = [
      member('m-1', asks('full-screen', 7)),
      member('m-2', asks('full-screen', 3)),
      member('m-3'),
    ]
    const layout = arrange('2x1', members)
    expect(places(layout)).toEqual({ 'm-2': 'standard-1', 'm-3': 'standard-2', 'm-1': 'full-screen' })
    expect(layout.layers.at(-1)).toMatchObject({ member_id: 'm-1', z_index: 4, width: 100, visible: true })
    expect(layout.layers.slice(0, -1).map(({ visible }) => visible)).toEqual([false, false])
  })

  test('for off-canvas give the place to the next', () => {
    expect(places(arrange('1x1', [member('m-1', asks('off-canvas')), member('m-2')]))).toEqual({
      'm-2': 'standard-1',
    })
  })
})

describe('screen shares', () => {
  test.each([
    ['screen-share', 'full-screen'],
    ['presenter-dual-horizontal', 'standard-1'],
    ['highlight-1-responsive', 'reserved-1'],
  ] as const)('in %s take %s without asking, and only the first', (name, position) => {
    const layout = arrange(name, [...crowd(2), share('s-1'), share('s-2')], { speaker: 'm-2' })
    expect(placeOf(layout, 's-1')).toBe(position)
    expect(placeOf(layout, 's-2')).not.toBe(position)
    expect(placeOf(layout, 'm-1')).toMatch(/^(standard|reserved)-1$/)
  })

  test('lie below the members in screen-share, also if they ask for full-screen', () => {
    const layout = arrange('screen-share', [member('m-1'), share('s-1', asks('full-screen'))])
    expect(places(layout)).toEqual({ 's-1': 'full-screen', 'm-1': 'reserved-1' })
    expect(layout.layers.find(({ member_id }) => member_id === 'm-1')?.visible).toBe(true)
  })

  test('yield to a member who asked for the place', () => {
    const layout = arrange('presenter-dual-horizontal', [member('m-1', asks('standard-1')), share('s-1')])
    expect(places(layout)).toEqual({ 'm-1': 'standard-1', 's-1': 'reserved-1' })
  })

  test('leave their place to members while there is none', () => {
    expect(places(arrange('presenter-dual-horizontal', crowd(2)))).toEqual({
      'm-1': 'reserved-1',
      'm-2': 'standard-1',
    })
  })

  test('keep their tile when members are replaced by speakers', () => {
    expect(arrange('2x2', [share('s-1'), ...crowd(5)]).automatic).toEqual(['m-1', 'm-2', 'm-3'])
  })
})

describe('the large tile of a highlight', () => {
  const large = (members: LayoutMember[], options: LayoutOptions = {}) =>
    arrange('highlight-1-responsive', members, options).layers[0]?.member_id

  test('is for whoever asked, else a share, else who speaks, else the first', () => {
    expect(large(crowd(3))).toBe('m-1')
    expect(large(crowd(3), { speaker: 'm-3' })).toBe('m-3')
    expect(large(crowd(3), { speaker: 'gone' })).toBe('m-1')
    expect(large([...crowd(3), share('s-1')], { speaker: 'm-3' })).toBe('s-1')
    const asked = [member('m-1'), member('m-2', asks('reserved-1')), share('s-1')]
    expect(large(asked, { speaker: 'm-1' })).toBe('m-2')
  })

  test('fills the canvas for one who is alone', () => {
    expect(arrange('highlight-1-responsive', crowd(1)).layers).toMatchObject([
      { member_id: 'm-1', position: 'reserved-1', width: 100, height: 100 },
    ])
  })
})

describe('files that are played', () => {
  test('take the share place if no share has it', () => {
    const layout = arrange('screen-share', crowd(1), {}, [file()])
    expect(places(layout)).toEqual({ file: 'full-screen', 'm-1': 'reserved-1' })
    expect(layout.layers[0]).toMatchObject({ playback_id: 'file', playing_file: true, visible: true })
    expect(layout.layers[0]).not.toHaveProperty('member_id')
    expect(places(arrange('highlight-1-responsive', crowd(2), {}, [file('playback')]))).toEqual({
      file: 'reserved-1',
      'm-1': 'standard-1',
      'm-2': 'standard-2',
    })
  })

  test('otherwise lie over everything but a full screen', () => {
    const shared = arrange('screen-share', [member('m-1'), share('s-1')], {}, [file()])
    expect(places(shared)).toEqual({ 's-1': 'full-screen', 'm-1': 'reserved-1', file: 'playback' })
    const layout = arrange(
      'grid-responsive',
      [member('m-1', asks('full-screen')), ...crowd(3).slice(1)],
      {},
      [file('auto', 'f-1'), file('auto', 'f-2')],
    )
    expect(layout.layers.map(({ position, visible }) => [position, visible])).toEqual([
      ['standard-1', false],
      ['standard-2', false],
      ['playback', false],
      ['playback', false],
      ['full-screen', true],
    ])
    expect(layout.layers[0]).toMatchObject({ width: 50 })
  })

  test('take a place that they ask for, as members do', () => {
    expect(places(arrange('grid-responsive', crowd(2), {}, [file('standard-2')]))).toEqual({
      'm-1': 'standard-1',
      file: 'standard-2',
      'm-2': 'standard-3',
    })
    expect(places(arrange('2x2', crowd(1), {}, [file('off-canvas')]))).toEqual({ 'm-1': 'standard-1' })
  })
})

test('an extra microphone has no tile', () => {
  const layout = arrange('grid-responsive', [
    member('m-1'),
    member('mic', { type: 'device', sendsVideo: false }),
  ])
  expect(layout.layers).toHaveLength(1)
  expect(layout.offCanvas).toEqual(['mic'])
  expect(layout.waiting).toEqual([])
})
