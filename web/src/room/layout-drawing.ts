import { isLayoutName } from '../../../server/src/resources/layout-names.ts'
import { layoutPlaces, type Place } from '../../../server/src/resources/layout-places.ts'

/**
 * The places of a layout, for a small drawing of it. A later one is drawn over an earlier one.
 * @param members how many are in the picture; some layouts depend on it
 * @returns an empty list for a layout that this page does not know
 */
export function layoutDrawing(name: string, members: number): readonly Place[] {
  if (!isLayoutName(name)) return []
  return layoutPlaces(name, Math.max(1, members)).toSorted((one, other) => one.zIndex - other.zIndex)
}
