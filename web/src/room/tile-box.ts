import type { CSSProperties } from 'react'
import type { Rectangle } from './stage-views.ts'

/** Places an element over a part of its parent, given in percent of it. */
export function tileBox({ x, y, width, height }: Rectangle): CSSProperties {
  return { left: `${x}%`, top: `${y}%`, width: `${width}%`, height: `${height}%` }
}
