import { Refusal } from '../../errors/refusal.ts'
import { isLayoutName, type LayoutName } from '../../resources/layout-names.ts'
import type { GrantedPermissions } from '../permissions.ts'
import { checkPosition } from './requested-positions.ts'
import type { LayoutWish } from './session-layout.ts'

/** @throws Refusal `invalid_parameter` if there is no such layout */
export function checkLayoutName(name: unknown): asserts name is LayoutName {
  if (typeof name === 'string' && isLayoutName(name)) return
  throw new Refusal(
    'invalid_parameter',
    'Invalid params: there is no such layout. video.list_available_layouts lists them.',
  )
}

/**
 * Reads the layout and the positions that come with a screen share or a file. Whatever the member may not set is
 * ignored.
 * @param positions positions by member id, `self` for the share or file
 * @throws Refusal `invalid_parameter`
 */
export function layoutWish(
  { layout, positions }: { layout?: unknown; positions?: unknown },
  permissions: GrantedPermissions,
): LayoutWish {
  const wish: LayoutWish = {}
  if (layout !== undefined && permissions.has('room.set_layout')) {
    checkLayoutName(layout)
    wish.layout = layout
  }
  if (positions !== undefined && permissions.has('room.set_position')) {
    if (typeof positions !== 'object' || positions === null)
      throw new Refusal('invalid_parameter', 'Invalid params: positions must be an object.')
    const entries = Object.entries(positions).map(([id, position]: [string, unknown]) => {
      checkPosition(position)
      return [id, position]
    })
    wish.positions = Object.fromEntries(entries)
  }
  return wish
}
