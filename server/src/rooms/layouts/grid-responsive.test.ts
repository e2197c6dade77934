import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GRID_RESPONSIVE_MAX_TILES, gridResponsive } from './grid-responsive.ts'
import type { LayoutLayer, LayoutMember, LayoutOptions } from './layout-types.ts'

const plain = (id: string): LayoutMember => ({
  id,
  requestedPosition: 'auto',
  videoMuted: false,
  handRaised: false,
})

const crowd = (count: number) => Array.from({ length: count }, (_, index) => plain(`m-${index + 1}`))

const ids = (layers: readonly LayoutLayer[]) => layers.map((layer) => layer.member_id)

const anyOptions = fc.record<LayoutOptions>(
  { hideVideoMuted: fc.boolean(), prioritizeHandraise: fc.boolean() },
  { requiredKeys: [] },
)

const anyMembers = fc
  .array(
    fc.record({
      requestedPosition: fc.oneof(
        { weight: 6, arbitrary: fc.constant('auto') },
        fc.integer({ min: 1, max: 320 }).map((place) => `standard-${place}`),
        fc.constantFrom('off-canvas', 'reserved-1', 'full-screen', 'standard-0', 'standard-', 'nonsense'),
      ),
      videoMuted: fc.boolean(),
      handRaised: fc.boolean(),
    }),
    { maxLength: 300, size: 'max' },
  )
  .map((members) => members.map((member, index): LayoutMember => ({ id: `m-${index + 1}`, ...member })))

/** Tolerance for rounding errors, far below a pixel. Percentages have four digits. */
const DUST = 1e-9

const overlap = (one: LayoutLayer, other: LayoutLayer) =>
  Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x) > DUST &&
  Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y) > DUST

describe('grid-responsive', () => {
  test.each([
    [1, [[0, 0, 100]]],
    [
      2,
      [
        [0, 25, 50],
        [50, 25, 50],
      ],
    ],
    [
      3,
      [
        [0, 0, 50],
        [50, 0, 50],
        [25, 50, 50],
      ],
    ],
    [
      4,
      [
        [0, 0, 50],
        [50, 0, 50],
        [0, 50, 50],
        [50, 50, 50],
      ],
    ],
  ])('of %i', (count, expected) => {
    const { layers } = gridResponsive(crowd(count), {})
    expect(layers.map(({ x, y, width }) => [x, y, width])).toEqual(expected)
  })

  test('is empty for nobody', () => {
    expect(gridResponsive([], {})).toEqual({ layers: [], offCanvas: [] })
  })

  test('makes layers as the client protocol has them', () => {
    expect(gridResponsive([{ ...plain('m-1'), videoMuted: true }], {}).layers).toEqual([
      {
        member_id: 'm-1',
        x: 0,
        y: 0,
        width: 100,
        height: 100,
        layer_index: 0,
        z_index: 0,
        reservation: '',
        position: 'standard-1',
        playing_file: false,
        visible: false,
      },
    ])
  })

  describe('for every number of members from 1 to 300', () => {
    const all = Array.from({ length: 300 }, (_, index) => gridResponsive(crowd(index + 1), {}))

    test('shows each member once, up to a hundred', () => {
      all.forEach(({ layers, offCanvas }, index) => {
        const everybody = crowd(index + 1).map((member) => member.id)
        expect(layers).toHaveLength(Math.min(index + 1, GRID_RESPONSIVE_MAX_TILES))
        expect([...ids(layers), ...offCanvas]).toEqual(everybody)
      })
    })

    test('keeps tiles inside the canvas, of its shape, equal and apart', () => {
      for (const { layers } of all) {
        for (const [index, layer] of layers.entries()) {
          expect(layer.x).toBeGreaterThanOrEqual(0)
          expect(layer.y).toBeGreaterThanOrEqual(0)
          expect(layer.x + layer.width).toBeLessThanOrEqual(100 + DUST)
          expect(layer.y + layer.height).toBeLessThanOrEqual(100 + DUST)
          expect(layer.width).toBe(layer.height)
          expect(layer.width).toBe(layers[0]!.width)
          expect(layers.slice(index + 1).some((later) => overlap(layer, later))).toBe(false)
        }
      }
    })

    test('leaves no hole but in the last row, which is centred like the whole', () => {
      for (const { layers } of all) {
        const size = layers[0]!.width
        const rows = Map.groupBy(layers, (layer) => layer.y)
        const tops = [...rows.keys()]
        expect(tops).toEqual(tops.toSorted((one, other) => one - other))
        tops.forEach((top, index) => {
          const row = rows.get(top)!
          if (index < tops.length - 1) expect(row.length).toBe(Math.floor(100 / size + 0.001))
          for (const [column, layer] of row.entries()) {
            if (column > 0) expect(layer.x).toBeCloseTo(row[column - 1]!.x + size, 3)
          }
          expect(row[0]!.x).toBeCloseTo(100 - row.at(-1)!.x - size, 3)
          if (index > 0) expect(top).toBeCloseTo(tops[index - 1]! + size, 3)
        })
        expect(tops[0]).toBeCloseTo(100 - tops.at(-1)! - size, 3)
      }
    })

    test('makes the tiles as large as can be', () => {
      for (const { layers } of all) {
        const perSide = Math.round(100 / layers[0]!.width)
        expect(perSide ** 2).toBeGreaterThanOrEqual(layers.length)
        expect((perSide - 1) ** 2).toBeLessThan(layers.length)
      }
    })
  })

  test('shows or hides each of any members exactly once, in places numbered through', () => {
    fc.assert(
      fc.property(anyMembers, anyOptions, (members, options) => {
        const { layers, offCanvas } = gridResponsive(members, options)
        expect([...ids(layers), ...offCanvas].toSorted()).toEqual(members.map(({ id }) => id).toSorted())
        layers.forEach((layer, index) => {
          expect(layer.layer_index).toBe(index)
          expect(layer.position).toBe(`standard-${index + 1}`)
          expect(layer.visible).toBe(!members.find(({ id }) => id === layer.member_id)?.videoMuted)
        })
      }),
    )
  })

  test('keeps those off the canvas who are to be, and nobody else while there is room', () => {
    fc.assert(
      fc.property(anyMembers, anyOptions, (members, options) => {
        const hidden = members.filter(
          (member) =>
            member.requestedPosition === 'off-canvas' || (options.hideVideoMuted && member.videoMuted),
        )
        const { layers, offCanvas } = gridResponsive(members, options)
        expect(layers).toHaveLength(Math.min(GRID_RESPONSIVE_MAX_TILES, members.length - hidden.length))
        for (const { id } of hidden) expect(offCanvas).toContain(id)
      }),
    )
  })

  test('gives a place to the first who asked for it', () => {
    fc.assert(
      fc.property(anyMembers, anyOptions, (members, options) => {
        const { layers } = gridResponsive(members, options)
        for (const layer of layers) {
          const wish = members.find(
            (member) => member.requestedPosition === layer.position && ids(layers).includes(member.id),
          )
          if (wish) expect(layer.member_id).toBe(wish.id)
        }
      }),
    )
  })

  test('puts raised hands first where the room wants it, and only there', () => {
    const members = crowd(5).map((member, index) => ({ ...member, handRaised: index === 2 || index === 4 }))
    expect(ids(gridResponsive(members, { prioritizeHandraise: true }).layers)).toEqual([
      'm-3',
      'm-5',
      'm-1',
      'm-2',
      'm-4',
    ])
    expect(ids(gridResponsive(members, {}).layers)).toEqual(ids(gridResponsive(crowd(5), {}).layers))
  })

  test('moves nobody before the one who leaves, unless the tiles grow', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300 }), fc.nat(), (count, seed) => {
        const leaving = seed % count
        const before = gridResponsive(crowd(count), {}).layers
        const after = gridResponsive(
          crowd(count).filter((_, index) => index !== leaving),
          {},
        ).layers
        expect(ids(after).slice(0, leaving)).toEqual(ids(before).slice(0, leaving))
        const columns = Math.round(100 / before[0]!.width)
        if (after[0]!.width !== before[0]!.width) return
        const sameRows = Math.ceil(before.length / columns) === Math.ceil(after.length / columns)
        const firstOfLastRow = columns * (Math.ceil(after.length / columns) - 1)
        for (let index = 0; index < Math.min(leaving, firstOfLastRow); index++) {
          expect(after[index]!.x).toBe(before[index]!.x)
          if (sameRows) expect(after[index]!.y).toBe(before[index]!.y)
        }
      }),
    )
  })

  test('beyond a hundred prefers who asked, then raised hands, then live cameras, then who came first', () => {
    const members = crowd(110).map((member, index) => ({
      ...member,
      videoMuted: index < 12 || index === 109,
      handRaised: index === 0,
      requestedPosition: index === 109 ? 'standard-7' : 'auto',
    }))
    const { layers, offCanvas } = gridResponsive(members, { prioritizeHandraise: true })
    expect(offCanvas).toEqual(['m-3', 'm-4', 'm-5', 'm-6', 'm-7', 'm-8', 'm-9', 'm-10', 'm-11', 'm-12'])
    expect(layers[6]?.member_id).toBe('m-110')
    expect(layers[0]?.member_id).toBe('m-1')
  })
})
