/** A place of a layout, in percent of the picture. A later one is drawn over an earlier one. */
export interface DrawnPlace {
  /** `standard-N`, `reserved-N` or `full-screen`. */
  position: string
  x: number
  y: number
  width: number
  height: number
}

/**
 * The places of a layout, for a small drawing of it.
 * @param members how many are in the picture; some layouts depend on it
 * @returns an empty list for a layout that this page does not know
 */
export function layoutDrawing(name: string, members: number): readonly DrawnPlace[] {
  return Object.hasOwn(places, name) ? places[name]!(Math.max(1, members)) : []
}

type Area = Omit<DrawnPlace, 'position'>

const places: Readonly<Record<string, (members: number) => readonly DrawnPlace[]>> = {
  'grid-responsive': (members) => rows(members, Math.ceil(Math.sqrt(members))),
  'grid-responsive-mobile': (members) => rows(members, Math.ceil(members / Math.ceil(Math.sqrt(members)))),
  'highlight-1-responsive': (members) =>
    members === 1 ? [reserved(1, cell(1, 0, 0))] : large(members > 6 ? 4 : 3),
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
  '1up-top-left5': () => large(3),
  '1up-top-left7': () => large(4),
  '1up-top-left9': () => large(5),
  '1up-top-left16': () => large(5, 3),
  '1x1-2x1': () => standards([cell(2, 0.5, 0), cell(2, 0, 1), cell(2, 1, 1)]),
  'full-screen': () => [reserved(1, cell(1, 0, 0))],
  'screen-share': () => [
    { position: 'full-screen', ...cell(1, 0, 0) },
    ...[cell(6, 5, 0), cell(6, 0, 0), cell(6, 5, 5), cell(6, 0, 5)].map((area, index) =>
      reserved(index + 1, area),
    ),
  ],
  'presenter-dual-horizontal': () => [...standards([cell(2, 0, 0.5)]), reserved(1, cell(2, 1, 0.5))],
}

/** An area in a grid of `size` columns and rows, from the column and row of its top left corner. */
function cell(size: number, column: number, row: number, span = 1): Area {
  const side = 100 / size
  return { x: column * side, y: row * side, width: span * side, height: span * side }
}

const reserved = (number: number, area: Area): DrawnPlace => ({ position: `reserved-${number}`, ...area })

const standards = (areas: readonly Area[]): readonly DrawnPlace[] =>
  areas.map((area, index) => ({ position: `standard-${index + 1}`, ...area }))

const cells = (size: number): readonly Area[] =>
  Array.from({ length: size * size }, (_, index) => cell(size, index % size, Math.floor(index / size)))

const grid = (size: number): readonly DrawnPlace[] => standards(cells(size))

/** One large tile at the top left, and the others to its right and below. */
const large = (size: number, span = size - 1): readonly DrawnPlace[] => [
  reserved(1, cell(size, 0, 0, span)),
  ...standards(cells(size).filter((_, index) => index % size >= span || index >= size * span)),
]

/** Rows of equal tiles. The last row is centred, and all rows together are centred in the picture. */
function rows(members: number, columns: number): readonly DrawnPlace[] {
  const count = Math.ceil(members / columns)
  const size = Math.max(columns, count)
  return standards(
    Array.from({ length: members }, (_, index) => {
      const row = Math.floor(index / columns)
      const inRow = row === count - 1 ? members - row * columns : columns
      return cell(size, (size - inRow) / 2 + (index % columns), (size - count) / 2 + row)
    }),
  )
}
