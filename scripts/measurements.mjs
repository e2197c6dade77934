/** Shows measurements with their limits at the end of a command. */

/** @typedef {import('../bench/report.ts').Measurement} Measurement */

/** @param {Measurement} measurement */
export function verdict({ value, limit, direction }) {
  if (limit === undefined) return ''
  return (direction === 'at least' ? value >= limit : value <= limit) ? 'pass' : 'FAIL'
}

/** @param {string[][]} rows */
export function table(rows) {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

/** @param {number} value */
const shown = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3))

/** The table row of a measurement: name, value, limit and verdict. @param {Measurement} measurement */
export function rowOf(measurement) {
  const { what, value, unit, limit, direction } = measurement
  const bound = limit === undefined ? '-' : `${direction} ${shown(limit)}`
  return [what, `${shown(value)}${unit ? ` ${unit}` : ''}`, bound, verdict(measurement)]
}
