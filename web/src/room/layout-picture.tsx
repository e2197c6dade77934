import { layoutDrawing } from './layout-drawing.ts'

/** Half of the space between two places, in percent of the picture. */
const gap = 1.2

/** A small drawing of a layout. @param props.members how many are in the picture */
export function LayoutPicture({ name, members }: { name: string; members: number }) {
  const places = layoutDrawing(name, members)
  return (
    <svg aria-hidden viewBox="0 0 160 90" className="block w-full rounded-sm bg-stage">
      <title>{name}</title>
      {places.map(({ position, x, y, width, height }) => (
        <rect
          key={position}
          x={(x + gap) * 1.6}
          y={(y + gap * 1.6) * 0.9}
          width={Math.max(1, (width - 2 * gap) * 1.6)}
          height={Math.max(1, (height - 2 * gap * 1.6) * 0.9)}
          rx={2.5}
          className={
            position.startsWith('standard') ? 'fill-tile stroke-stage' : 'fill-tile-large stroke-stage'
          }
        />
      ))}
    </svg>
  )
}
