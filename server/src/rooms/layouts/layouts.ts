import { type LayoutName, LIVE_LAYOUTS } from '../../resources/layout-names.ts'
import { layoutPlaces } from '../../resources/layout-places.ts'
import type {
  Layout,
  LayoutFile,
  LayoutLayer,
  LayoutMember,
  LayoutOptions,
  Rectangle,
} from './layout-types.ts'
import { assignPlaces, type Placement, type Seat } from './placement.ts'

/** The answer to `video.list_available_layouts`, in the published order. */
export const AVAILABLE_LAYOUTS: readonly LayoutName[] = LIVE_LAYOUTS

/** The layers over all others are the files without a place, and over them the one who asked for `full-screen`. */
const FILE_Z_INDEX = 3
const FULL_SCREEN_Z_INDEX = 4

const WHOLE_CANVAS: Rectangle = { x: 0, y: 0, width: 100, height: 100 }

/**
 * Arranges the members of a room, and the files that are played into it. Pure: the same input gives the same result.
 * @param members in the order in which they are placed, usually that of joining. Without the audience
 * @param files in the order in which they were started
 */
export function arrange(
  name: LayoutName,
  members: readonly LayoutMember[],
  options: LayoutOptions = {},
  files: readonly LayoutFile[] = [],
): Layout {
  const shown = members.filter((member) => isShown(member, options))
  const seats = [...shown.map(seatOf), ...files.filter(isOnCanvas).map(seatOfFile)]
  const fullScreen = seats.filter((seat) => wantsFullScreen(name, seat)).reduce(later, undefined)
  const { placement, unplacedFiles } = placed(
    name,
    seats.filter((seat) => seat !== fullScreen),
    options,
  )
  const layers = [
    ...placeLayers(name, placement),
    ...unplacedFiles.map((seat) => overlay('playback', FILE_Z_INDEX, seat)),
    ...(fullScreen ? [overlay('full-screen', FULL_SCREEN_Z_INDEX, fullScreen)] : []),
  ]
  return { name, ...result(layers, placement, members) }
}

/** The position of every member, which is its `current_position`. `off-canvas` for members without a layer. */
export function currentPositions(layout: Layout): Map<string, string> {
  const positions = new Map(layout.offCanvas.map((id) => [id, 'off-canvas']))
  for (const layer of layout.layers) if (layer.member_id) positions.set(layer.member_id, layer.position)
  return positions
}

/** A rectangle with the member or the played file that it shows. */
type PictureTile = Rectangle & ({ memberId: string } | { playbackId: string })

/** The rectangles of members and played files for the media worker, from the bottom up. */
export function pictureTiles(layers: readonly LayoutLayer[]): PictureTile[] {
  return layers.flatMap(({ member_id, playback_id, x, y, width, height }): PictureTile[] => {
    if (playback_id !== undefined) return [{ playbackId: playback_id, x, y, width, height }]
    return member_id === undefined ? [] : [{ memberId: member_id, x, y, width, height }]
  })
}

/** A layer before its index and its visibility are known. */
interface Occupied extends Rectangle {
  position: string
  zIndex: number
  seat: Seat | undefined
}

function isShown(member: LayoutMember, { hideVideoMuted }: LayoutOptions): boolean {
  return member.sendsVideo && isOnCanvas(member) && !(hideVideoMuted && member.videoMuted)
}

function isOnCanvas({ requestedPosition }: { requestedPosition: string }): boolean {
  return requestedPosition !== 'off-canvas'
}

function seatOf({ id, type, requestedPosition, requestOrder, handRaisedAt }: LayoutMember): Seat {
  return { id, kind: type === 'screen' ? 'share' : 'member', requestedPosition, requestOrder, handRaisedAt }
}

function seatOfFile({ id, requestedPosition, requestOrder = Number.MAX_VALUE }: LayoutFile): Seat {
  return { id, kind: 'file', requestedPosition, requestOrder, handRaisedAt: null }
}

/** In `screen-share`, `full-screen` is also the name of the place for shares and files, below the members. */
function wantsFullScreen(name: LayoutName, { kind, requestedPosition }: Seat): boolean {
  return requestedPosition === 'full-screen' && (name !== 'screen-share' || kind === 'member')
}

function later(one: Seat | undefined, other: Seat): Seat {
  return one && one.requestOrder > other.requestOrder ? one : other
}

/** Places everybody. A file that finds no place leaves the layout, whose number of places may depend on it. */
function placed(name: LayoutName, seats: readonly Seat[], options: LayoutOptions) {
  const unplacedFiles = new Set<Seat>()
  for (;;) {
    const inside = seats.filter((seat) => !unplacedFiles.has(seat))
    const placement = assignPlaces(layoutPlaces(name, inside.length), inside, options)
    const before = unplacedFiles.size
    for (const seat of placement.left) if (seat.kind === 'file') unplacedFiles.add(seat)
    if (unplacedFiles.size === before)
      return { placement, unplacedFiles: seats.filter((seat) => unplacedFiles.has(seat)) }
  }
}

function placeLayers(name: LayoutName, { places, holders }: Placement): Occupied[] {
  const layers = places.map(({ role: _, ...place }) => ({ ...place, seat: holders.get(place.position) }))
  // Responsive layouts have no empty places; the others keep theirs.
  return name.includes('responsive') ? layers.filter(({ seat }) => seat) : layers
}

function overlay(position: string, zIndex: number, seat: Seat): Occupied {
  return { ...WHOLE_CANVAS, position, zIndex, seat }
}

function result(
  layers: readonly Occupied[],
  { automatic, left }: Placement,
  members: readonly LayoutMember[],
): Omit<Layout, 'name'> {
  const muted = new Set(members.filter(({ videoMuted }) => videoMuted).map(({ id }) => id))
  const on = new Set(layers.map(({ seat }) => seat?.id))
  const lowestVisible = layers.findLastIndex(({ zIndex }) => zIndex >= FILE_Z_INDEX)
  return {
    layers: layers.map(({ seat, position, zIndex, ...area }, index) => ({
      ...(seat && (seat.kind === 'file' ? { playback_id: seat.id } : { member_id: seat.id })),
      x: area.x,
      y: area.y,
      width: area.width,
      height: area.height,
      layer_index: index,
      z_index: zIndex,
      reservation: position.startsWith('reserved-') ? position : '',
      position,
      playing_file: seat?.kind === 'file',
      visible: seat !== undefined && index >= lowestVisible && !muted.has(seat.id),
    })),
    offCanvas: members.filter(({ id }) => !on.has(id)).map(({ id }) => id),
    automatic: automatic.map(({ id }) => id),
    waiting: left.map(({ id }) => id),
  }
}
