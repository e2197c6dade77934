import { DEFAULT_LAYOUT, type LayoutName, LIVE_LAYOUTS } from '../../resources/layout-names.ts'
import { gridResponsive } from './grid-responsive.ts'
import type {
  Layout,
  LayoutLayer,
  LayoutMember,
  LayoutOptions,
  LayoutRule,
  Rectangle,
} from './layout-types.ts'

/**
 * The implemented layouts. A layout without a rule is arranged as `grid-responsive`, and the result carries that
 * name.
 */
const RULES: { [name in LayoutName]?: LayoutRule } & { [name in typeof DEFAULT_LAYOUT]: LayoutRule } = {
  'grid-responsive': gridResponsive,
}

/** The answer to `video.list_available_layouts`: the layouts that have a rule, in their published order. */
export const AVAILABLE_LAYOUTS: readonly LayoutName[] = LIVE_LAYOUTS.filter((name) => name in RULES)

/**
 * Arranges the members of a room.
 * @param name the requested layout; {@link Layout.name} is the one that was applied
 * @param members in the order in which they joined, without the audience
 */
export function arrange(
  name: LayoutName,
  members: readonly LayoutMember[],
  options: LayoutOptions = {},
): Layout {
  const rule = RULES[name]
  return rule
    ? { name, ...rule(members, options) }
    : { name: DEFAULT_LAYOUT, ...RULES[DEFAULT_LAYOUT](members, options) }
}

/** The position of every member, which is its `current_position`. `off-canvas` for members without a layer. */
export function currentPositions(layout: Layout): Map<string, string> {
  const positions = new Map(layout.offCanvas.map((id) => [id, 'off-canvas']))
  for (const layer of layout.layers) if (layer.member_id) positions.set(layer.member_id, layer.position)
  return positions
}

/** The rectangles of members for the media worker, from the bottom up. */
export function memberTiles(layers: readonly LayoutLayer[]): (Rectangle & { memberId: string })[] {
  return layers.flatMap(({ member_id, x, y, width, height }) =>
    member_id === undefined ? [] : [{ memberId: member_id, x, y, width, height }],
  )
}
