/** One member as input of a layout. A screen share or an extra device is a member of its own. */
export interface LayoutMember {
  id: string
  /** The requested position: `auto`, `standard-N`, `reserved-N`, `off-canvas`... An unknown word counts as `auto`. */
  requestedPosition: string
  videoMuted: boolean
  handRaised: boolean
}

/** The room's settings for layouts. */
export interface LayoutOptions {
  /** Members without a picture get no place on the canvas. */
  hideVideoMuted?: boolean
  /** Members with a raised hand come first. */
  prioritizeHandraise?: boolean
}

/** A rectangle in percent of the canvas, 0 to 100. */
export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

/** One layer of `video.layout.changed`, in its wire format (docs/protocol.md, section 4.4). */
export interface LayoutLayer extends Rectangle {
  /** Absent for an empty place and for a file that is being played. */
  member_id?: string
  layer_index: number
  z_index: number
  /** Name of the reserved place, or empty. */
  reservation: string
  /** `standard-N`, `reserved-N`, `full-screen`, `playback`. */
  position: string
  playing_file: boolean
  /** Whether the layer shows a live picture. A client hides the overlay of a layer that is not visible. */
  visible: boolean
}

/** The complete result of a layout. */
export interface Layout {
  /** The layout that was applied. */
  name: string
  /** Layers from the bottom up: a later layer is drawn over an earlier one. */
  layers: LayoutLayer[]
  /** Members without a layer, in order. */
  offCanvas: string[]
}

/** Arranges members, in the order in which they joined. Pure: the same members always get the same places. */
export type LayoutRule = (members: readonly LayoutMember[], options: LayoutOptions) => Omit<Layout, 'name'>
