import type { MeetingTile } from './meeting-state.ts'

/**
 * Decides which parts of the composed picture the stage shows, and where. The server composes one picture for all, so
 * whatever one person sees larger is cut out of it. Pure geometry: sizes of the stage are in CSS pixels, parts of the
 * picture in percent of it.
 */

/** A rectangle, in pixels or in percent of the picture. */
export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

/** A part of the picture at a place of the stage. */
export interface View {
  /** Whose tile it is; null for the whole picture. */
  memberId: string | null
  /** The visible part of the picture, in percent. It has the aspect ratio of `box`. */
  part: Rectangle
  /** In pixels, from the top left corner of the stage or of the strip. */
  box: Rectangle
}

/** Everything that the stage shows. */
export interface StageViews {
  main: View
  /** The other tiles below the main one. The views may need more width than the box has: it scrolls. */
  strip: { box: Rectangle; views: readonly View[] } | null
}

interface Size {
  width: number
  height: number
}

/** The aspect ratio of the picture, and of each tile that the server composes. */
const aspect = 16 / 9
/** Between two parts of the picture, pixels. */
const gap = 4
const whole: Rectangle = { x: 0, y: 0, width: 100, height: 100 }

/** Whether the stage is too high for the picture: a phone held upright, or a narrow window. */
export const isUpright = ({ width, height }: Size): boolean => width < height * 0.9

/**
 * @param main the tile to show large; null for the whole picture
 * @param entire whether nothing of that tile may be cut off, because every part of it counts (a shared screen)
 */
export function stageViews(
  stage: Size,
  tiles: readonly MeetingTile[],
  main: MeetingTile | null,
  entire: boolean,
): StageViews {
  if (!main) return { main: { memberId: null, part: whole, box: within(stage) }, strip: null }
  const memberId = main.memberId
  const others = tiles.filter((tile) => tile !== main)
  if (!isUpright(stage)) return { main: { memberId, part: areaOf(main), box: within(stage) }, strip: null }
  const height = entire ? stage.width / aspect : mainHeight(stage, others.length)
  return {
    main: filled(main, { x: 0, y: 0, width: stage.width, height }),
    strip: others.length > 0 ? strip(stage, others, height + gap) : null,
  }
}

/** The largest box of the picture's aspect ratio, in the middle of the stage. */
function within({ width, height }: Size): Rectangle {
  const used = Math.min(width, height * aspect)
  return { x: (width - used) / 2, y: (height - used / aspect) / 2, width: used, height: used / aspect }
}

/** How much of an upright stage is for the main tile. Two people share it equally. */
function mainHeight({ width, height }: Size, others: number): number {
  if (others === 0) return height
  if (others === 1) return (height - gap) / 2
  return height - gap - Math.min(height * 0.32, others === 2 ? width / 2 : width / 2.5)
}

/** The other tiles, in as many rows as make them nearest to a square. */
function strip(stage: Size, others: readonly MeetingTile[], top: number) {
  const box = { x: 0, y: top, width: stage.width, height: stage.height - top }
  const sizes = [1, 2, 3].map((rows) => sizeIn(box, others.length, rows))
  const deviation = ({ width, height }: Size) => Math.abs(Math.log(width / height))
  const best = sizes.reduce((one, other) => (deviation(other) < deviation(one) ? other : one))
  const views = others.map((tile, index) =>
    filled(tile, {
      x: Math.floor(index / best.rows) * (best.width + gap),
      y: (index % best.rows) * (best.height + gap),
      width: best.width,
      height: best.height,
    }),
  )
  return { box, views }
}

/** Narrower tiles show no face. The strip scrolls instead. */
const narrowest = 112

function sizeIn(box: Size, count: number, rows: number) {
  const columns = Math.ceil(count / rows)
  return {
    rows,
    width: Math.max(narrowest, (box.width - gap * (columns - 1)) / columns),
    height: (box.height - gap * (rows - 1)) / rows,
  }
}

/** A tile that fills a box of another aspect ratio. As much as necessary is cut off at two sides. */
function filled(tile: MeetingTile, box: Rectangle): View {
  const ratio = box.width / box.height / aspect
  const area = areaOf(tile)
  const width = area.width * Math.min(1, ratio)
  const height = area.height * Math.min(1, 1 / ratio)
  const part = {
    x: area.x + (area.width - width) / 2,
    y: area.y + (area.height - height) / 2,
    width,
    height,
  }
  return { memberId: tile.memberId, part, box }
}

/** The server leaves up to this much of the picture empty at each edge of a tile, in percent. */
const edge = 0.28

/** What of a tile is worth showing: all of it, without the lines between the tiles. */
function areaOf({ x, y, width, height }: MeetingTile): Rectangle {
  if (Math.min(width, height) < 8 * edge) return { x, y, width, height }
  return { x: x + edge, y: y + edge, width: width - 2 * edge, height: height - 2 * edge }
}

/**
 * Where a part of the picture lies inside a view, in percent of the view.
 * @param part of the whole picture, in percent
 */
export function insideView(view: View, part: Rectangle): Rectangle {
  return {
    x: ((part.x - view.part.x) / view.part.width) * 100,
    y: ((part.y - view.part.y) / view.part.height) * 100,
    width: (part.width / view.part.width) * 100,
    height: (part.height / view.part.height) * 100,
  }
}

/**
 * Returns the tiles that can be seen.
 * @param tiles from the bottom up; a member on the full screen covers all others
 */
export function uncovered(tiles: readonly MeetingTile[]): readonly MeetingTile[] {
  return tiles.filter((tile, index) => !tiles.slice(index + 1).some((above) => covers(above, tile)))
}

const covers = (above: Rectangle, below: Rectangle): boolean =>
  above.x <= below.x &&
  above.y <= below.y &&
  above.x + above.width >= below.x + below.width &&
  above.y + above.height >= below.y + below.height

/** Whether two tiles have more in common than an edge. */
export function overlaps(one: Rectangle, other: Rectangle): boolean {
  const [across, down] = [distance(one, other, 'x', 'width'), distance(one, other, 'y', 'height')]
  return across < (one.width + other.width) / 2 - 0.1 && down < (one.height + other.height) / 2 - 0.1
}

/** From the middle of one to the middle of the other. */
const distance = (one: Rectangle, other: Rectangle, start: 'x' | 'y', size: 'width' | 'height'): number =>
  Math.abs(one[start] + one[size] / 2 - other[start] - other[size] / 2)

/** Returns the tiles whose label belongs on a view, each with the visible part of it in percent of the view. */
export function tilesInside(view: View, tiles: readonly MeetingTile[]): readonly MeetingTile[] {
  return tiles.flatMap((tile) => {
    const isWanted = [null, tile.memberId].includes(view.memberId) || liesOn(view, tile)
    return isWanted ? [{ ...tile, ...visibleOf(insideView(view, tile)) }] : []
  })
}

/** Whether a small tile is drawn over the tile of this view, and most of it is visible. */
function liesOn(view: View, tile: Rectangle): boolean {
  const all = insideView(view, tile)
  const visible = visibleOf(all)
  const isOver = tile.width < view.part.width && tile.height < view.part.height
  return isOver && visible.width * visible.height >= (all.width * all.height) / 2
}

function visibleOf({ x, y, width, height }: Rectangle): Rectangle {
  const [left, top] = [Math.max(0, x), Math.max(0, y)]
  return {
    x: left,
    y: top,
    width: Math.max(0, Math.min(100, x + width) - left),
    height: Math.max(0, Math.min(100, y + height) - top),
  }
}
