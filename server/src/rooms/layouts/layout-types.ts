/** One member as input of a layout. A screen share or an extra device is a member of its own. */
export interface LayoutMember {
  id: string
  type: 'member' | 'screen' | 'device' | 'audience'
  /** The requested position: `auto`, `standard-N`, `reserved-N`, `off-canvas`... An unknown word counts as `auto`. */
  requestedPosition: string
  /** Order of the requests for places: a larger number came later. */
  requestOrder: number
  /** False for an extra microphone: it has no picture and gets no place. A muted camera counts as true. */
  sendsVideo: boolean
  videoMuted: boolean
  /** When the hand was raised, in Unix milliseconds. Null while it is down. */
  handRaisedAt: number | null
}

/** A file that is played into the room, as input of a layout. */
export interface LayoutFile {
  id: string
  /** As for a member. `auto` and `playback`: the place for shares, or the whole canvas. */
  requestedPosition: string
  /** As for a member. By default, later than all others. */
  requestOrder?: number
}

/** The room's settings for layouts. */
export interface LayoutOptions {
  /** Members without a picture get no place on the canvas. */
  hideVideoMuted?: boolean
  /** Members with a raised hand come first. */
  prioritizeHandraise?: boolean
  /** Id of the member who gets the large tile of a highlight. Null while nobody has spoken. */
  speaker?: string | null
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
  /** Id of the file that is played here. An addition of this server. */
  playback_id?: string
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
  /** Members who got a layer by their turn alone, in order. A speaker without a place may replace them. */
  automatic: string[]
  /** Members who would get a layer if there were more places, in order. */
  waiting: string[]
}
