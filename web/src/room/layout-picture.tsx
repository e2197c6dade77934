import { layoutDrawing } from './layout-drawing.ts'

/** Half of the space between two places, in units of the drawing. */
const gap = 1.5
/** Width and height of the drawing. It has the shape of the picture. */
const size = { width: 160, height: 90 }

/** A small drawing of a layout. @param props.members how many are in the picture */
export function LayoutPicture({ name, members }: { name: string; members: number }) {
  const places = layoutDrawing(name, members)
  const widths = places.map(({ width }) => width)
  const [widest, narrowest] = [Math.max(...widths), Math.min(...widths)]
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${size.width} ${size.height}`}
      className="block w-full rounded-sm bg-stage stroke-stage"
    >
      <title>{name}</title>
      {places.map(({ position, x, y, width, height }) => (
        <rect
          key={position}
          x={(x / 100) * size.width + gap}
          y={(y / 100) * size.height + gap}
          width={(width / 100) * size.width - 2 * gap}
          height={(height / 100) * size.height - 2 * gap}
          rx={2.5}
          className={width === widest && widest > narrowest ? 'fill-tile-large' : 'fill-tile'}
        />
      ))}
    </svg>
  )
}
