import { gridTiles } from './grid-geometry.ts'
import type { LayoutRule } from './layout-types.ts'
import { placeMembers } from './placement.ts'

/**
 * Maximum number of tiles. Smaller ones would show nothing useful (128x72 on a canvas of 720p), and each still costs
 * a decoder. Later members are heard, and get a tile when one becomes free.
 */
export const GRID_RESPONSIVE_MAX_TILES = 100

/** One equal tile for each member, from a single one that fills the canvas to ten rows of ten. */
export const gridResponsive: LayoutRule = (members, options) => {
  const { shown, offCanvas } = placeMembers(members, GRID_RESPONSIVE_MAX_TILES, options)
  const tiles = shown.length > 0 ? gridTiles(shown.length) : []
  return {
    layers: shown.map((member, index) => ({
      member_id: member.id,
      ...tiles[index]!,
      layer_index: index,
      z_index: 0,
      reservation: '',
      position: `standard-${index + 1}`,
      playing_file: false,
      visible: !member.videoMuted,
    })),
    offCanvas,
  }
}
