/** Runs measurements, and shows them with their limits at the end of a command. */
import { spawn } from 'node:child_process'
import { innerEnvironment, pinnedNode, root } from './workspace.mjs'

/** @typedef {import('../bench/report.ts').Measurement} Measurement */

/**
 * Runs a program that reports through `bench/report.ts`.
 * @param {string} program
 * @returns {Promise<{ code: number, measurements: Measurement[] }>}
 */
export function measure(program) {
  return new Promise((resolve, reject) => {
    /** @type {Measurement[]} */
    const measurements = []
    const child = spawn(pinnedNode, [program], {
      cwd: root,
      env: innerEnvironment(),
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    })
    child.on('message', (message) => measurements.push(/** @type {Measurement} */ (message)))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, measurements }))
  })
}

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
