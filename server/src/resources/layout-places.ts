/**
 * The places of every layout: where they lie and what they are called. Pure geometry that knows no members. Who gets
 * which place is decided in `rooms/layouts/`. The pages draw small pictures of layouts from this, so nothing is imported
 * here.
 */

/** One place of a layout, in percent of the canvas (0 to 100). */
export interface Place {
  /** `standard-N`, `reserved-N`, or `full-screen` for the share in `screen-share`. */
  position: string
  x: number
  y: number
  width: number
  height: number
  /** A place is drawn over those with a lower number. */
  zIndex: number
  /**
   * Who gets this place without asking. `share`: a screen share, else a file that is played. `highlight`: the same, else
   * the member who speaks. Null: nobody in particular.
   */
  role: 'share' | 'highlight' | null
}

/**
 * Places are computed in whole steps of a thousandth of a pixel. In fractions of a percent, a third would be rounded,
 * and a place could overlap its neighbour or the edge.
 */
const STEPS_PER_PERCENT = 10_000
const CANVAS_STEPS = 100 * STEPS_PER_PERCENT

/**
 * Maximum number of places of a responsive layout. Smaller tiles would show nothing useful (128x72 on a canvas of 720p),
 * and each still costs a decoder.
 */
const MOST_PLACES = 100

/** For each layout: makes its places. Only the responsive layouts depend on the number of members. */
const RULES = {
  'grid-responsive': responsiveGrid,
  'grid-responsive-mobile': responsiveMobileGrid,
  'highlight-1-responsive': responsiveHighlight,
  '1x1': () => grid(1),
  '2x1': () => standards([cell(2, 0, 0.5), cell(2, 1, 0.5)]),
  '2x2': () => grid(2),
  '5up': () => standards([cell(3, 0, 0), cell(3, 2, 0), cell(3, 1, 1), cell(3, 0, 2), cell(3, 2, 2)]),
  '3x3': () => grid(3),
  '4x4': () => grid(4),
  '5x5': () => grid(5),
  '6x6': () => grid(6),
  '8x8': () => grid(8),
  '10x10': () => grid(10),
  'full-screen': () => [place('reserved-1', cell(1, 0, 0))],
  'screen-share': shareWithCorners,
  'presenter-dual-horizontal': () => [
    place('standard-1', cell(2, 0, 0.5), { role: 'share' }),
    place('reserved-1', cell(2, 1, 0.5)),
  ],
  '1up-top-left5': () => largeTopLeft(3, 2),
  '1up-top-left7': () => largeTopLeft(4, 3),
  '1up-top-left9': () => largeTopLeft(5, 4),
  '1up-top-left16': () => largeTopLeft(5, 3),
  '1x1-2x1': () => standards([cell(2, 0.5, 0), cell(2, 0, 1), cell(2, 1, 1)]),
} satisfies Record<string, (members: number) => Place[]>

/**
 * The places of a layout. Responsive layouts have one for each member, up to their maximum; the others always have the
 * same. Order: from the bottom up, then `standard-N` row by row from the top left.
 */
export function layoutPlaces(name: keyof typeof RULES, members: number): Place[] {
  return RULES[name](members)
}

type Area = Pick<Place, 'x' | 'y' | 'width' | 'height'>

/**
 * An area in a grid of `size` columns and `size` rows. It has the aspect ratio of the canvas, because width and height
 * are the same percentage.
 * @param column its left edge, counted in cells; may be a fraction. The same for `row`
 * @param span its width and height in cells
 */
function cell(size: number, column: number, row: number, span = 1): Area {
  const steps = Math.floor(CANVAS_STEPS / size)
  const start = Math.floor((CANVAS_STEPS - size * steps) / 2)
  const edge = (cells: number) => Math.floor(start + cells * steps) / STEPS_PER_PERCENT
  const side = (span * steps) / STEPS_PER_PERCENT
  return { x: edge(column), y: edge(row), width: side, height: side }
}

function place(position: string, area: Area, special: Partial<Pick<Place, 'zIndex' | 'role'>> = {}): Place {
  return { position, ...area, zIndex: 0, role: null, ...special }
}

function standards(areas: readonly Area[]): Place[] {
  return areas.map((area, index) => place(`standard-${index + 1}`, area))
}

function cells(size: number): Area[] {
  return Array.from({ length: size * size }, (_, index) => cell(size, index % size, Math.floor(index / size)))
}

function grid(size: number): Place[] {
  return standards(cells(size))
}

/** The grid with the largest tiles that has a place for everybody. */
function responsiveGrid(members: number): Place[] {
  const count = Math.min(members, MOST_PLACES)
  return centredRows(count, Math.ceil(Math.sqrt(count)))
}

/** For viewers in portrait: the grid gets a further row before it gets a further column. */
function responsiveMobileGrid(members: number): Place[] {
  const count = Math.min(members, MOST_PLACES)
  return centredRows(count, Math.ceil(count / Math.ceil(Math.sqrt(count))))
}

/** Rows of equal tiles. The last row is centred, and all rows together are centred on the canvas. */
function centredRows(count: number, columns: number): Place[] {
  const rows = Math.ceil(count / columns)
  const size = Math.max(columns, rows)
  const areas = Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns)
    const inThisRow = row === rows - 1 ? count - row * columns : columns
    return cell(size, (size - inThisRow) / 2 + (index % columns), (size - rows) / 2 + row)
  })
  return standards(areas)
}

/** Cells of the grid and of the large tile of a highlight, and for how many others that has places. */
const HIGHLIGHTS = [
  [1, 1],
  [3, 2],
  [4, 3],
  [5, 4],
  [5, 3],
  [6, 3],
  [7, 3],
  [8, 4],
  [9, 4],
  [10, 5],
].map(([size = 1, large = 1]) => ({ size, large, others: size ** 2 - large ** 2 }))

/** One large tile, and the others around it as large as their number allows. */
function responsiveHighlight(members: number): Place[] {
  if (members === 0) return []
  const others = members - 1
  const { size, large } = HIGHLIGHTS.find((one) => one.others >= others) ?? HIGHLIGHTS.at(-1)!
  return largeTopLeft(size, large, 'highlight').slice(0, members)
}

/** `reserved-1` in the top left corner, and the other cells of the grid. */
function largeTopLeft(size: number, large: number, role: Place['role'] = null): Place[] {
  const others = cells(size).filter((_, index) => index % size >= large || Math.floor(index / size) >= large)
  return [place('reserved-1', cell(size, 0, 0, large), { role }), ...standards(others)]
}

/** The share over everything, four small places in its corners, and four larger ones beneath those. */
function shareWithCorners(): Place[] {
  const corners = (size: number, first: number, zIndex: number) =>
    [cell(size, size - 1, 0), cell(size, 0, 0), cell(size, size - 1, size - 1), cell(size, 0, size - 1)].map(
      (area, index) => place(`reserved-${first + index}`, area, { zIndex }),
    )
  return [place('full-screen', cell(1, 0, 0), { role: 'share' }), ...corners(3, 5, 1), ...corners(6, 1, 2)]
}
