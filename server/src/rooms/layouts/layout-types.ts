/** One member as the layouts see it. A screen share or an extra device is a member of its own. */
export interface LayoutMember {
  id: string
  /** What was asked for: `auto`, `standard-N`, `reserved-N`, `off-canvas`... An unknown word counts as `auto`. */
  requestedPosition: string
  videoMuted: boolean
  handRaised: boolean
}

/** What the room decides about who is shown where. */
export interface LayoutOptions {
  /** Members without a picture are taken off the canvas. */
  hideVideoMuted?: boolean
  /** Raised hands come first. */
  prioritizeHandraise?: boolean
}

/** A rectangle in percent of the canvas, 0 to 100. */
export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

/** One layer of `video.layout.changed`, as it goes over the wire (docs/protocol.md, section 4.4). */
export interface LayoutLayer extends Rectangle {
  /** Absent: an empty place, or a file that is being played. */
  member_id?: string
  layer_index: number
  z_index: number
  /** Name of the reserved place, or empty. */
  reservation: string
  /** `standard-N`, `reserved-N`, `full-screen`, `playback`. */
  position: string
  playing_file: boolean
  /** Whether there is a live picture in it: a client hides the overlay of a layer that is not visible. */
  visible: boolean
}

/** A whole arrangement. */
export interface Layout {
  /** The layout that was applied. */
  name: string
  /** From the bottom up: a later layer is drawn over an earlier one. */
  layers: LayoutLayer[]
  /** Members without a layer, in order. */
  offCanvas: string[]
}

/** Arranges members, in the order in which they joined. Pure: the same members always get the same places. */
export type LayoutRule = (members: readonly LayoutMember[], options: LayoutOptions) => Omit<Layout, 'name'>
