import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { dateText, numberText } from '../languages/formats.ts'
import { useMediaQuery } from '../use-media-query.ts'

/** One line or row of bars. */
export interface PlotSeries {
  label: string
  values: readonly (number | null)[]
  /** A token of style, such as `accent`. */
  colour: string
  kind: 'bars' | 'line'
}

interface PlotProps {
  /** Unix seconds, ascending. */
  times: readonly number[]
  series: readonly PlotSeries[]
  /** How a time is written below the plot. */
  timeFormat: Intl.DateTimeFormatOptions
  /** Height in pixels. */
  height?: number
}

/**
 * A plot over time. It is a picture: whoever shows it says the same in words, for those who do not see it.
 */
export function Plot({ times, series, timeFormat, height = 220 }: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  // The colours are read when it is drawn.
  const isDark = useMediaQuery('(prefers-color-scheme: dark)')
  const drawn = JSON.stringify([
    series.map(({ label, colour, kind }) => [label, colour, kind]),
    timeFormat,
    isDark,
  ])
  const plot = useRef<UPlot | null>(null)
  const data = [times, ...series.map(({ values }) => values)] as unknown as UPlot.AlignedData
  const latest = useRef({ data, series, timeFormat })
  latest.current = { data, series, timeFormat }

  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew when something else than the values changes
  useEffect(() => {
    const element = place.current
    if (!element) return
    const { data, series, timeFormat } = latest.current
    const made = new UPlot(optionsOf(element, series, timeFormat, height), data, element)
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [drawn, height])

  const values = JSON.stringify(data)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values in one text
  useEffect(() => {
    plot.current?.setData(latest.current.data)
  }, [values])

  return (
    <div ref={place} dir="ltr" aria-hidden="true" className="w-full overflow-hidden" style={{ height }} />
  )
}

/** A token of style as a colour that a canvas takes. */
function colourOf(element: HTMLElement, token: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--color-${token})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function optionsOf(
  element: HTMLElement,
  series: readonly PlotSeries[],
  timeFormat: Intl.DateTimeFormatOptions,
  height: number,
): UPlot.Options {
  const grid = { stroke: colourOf(element, 'line'), width: 1 }
  const axis = {
    stroke: colourOf(element, 'ink-soft'),
    font: '12px Inter Variable, sans-serif',
    ticks: { show: false },
  }
  const timesOf = (_plot: UPlot, splits: number[]) => splits.map((time) => dateText(time * 1000, timeFormat))
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: true, range: aroundBars },
      y: { range: (_plot, _low, high) => [0, Math.max(1, (high ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, size: 32, grid: { show: false }, space: 70, values: timesOf },
      {
        ...axis,
        grid,
        size: 56,
        space: 40,
        values: (_plot, splits) => splits.map((value) => numberText(value)),
      },
    ],
    series: [{}, ...series.map((one) => seriesOptions(element, one))],
  }
}

/** Leaves room for half a bar at both ends. */
function aroundBars(plot: UPlot, first: number, last: number): [number, number] {
  const half = (last - first) / Math.max(1, (plot.data[0]?.length ?? 1) - 1) / 2
  return [first - half, last + half]
}

function seriesOptions(element: HTMLElement, { label, colour, kind }: PlotSeries): UPlot.Series {
  const stroke = colourOf(element, colour)
  if (kind === 'line') return { label, stroke, width: 2, points: { show: false } }
  const paths = UPlot.paths.bars?.({ size: [0.7, 40], radius: 0.2 })
  return { label, stroke, fill: stroke, width: 0, points: { show: false }, ...(paths && { paths }) }
}
