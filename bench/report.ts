/** One result of a measurement, for the table at the end of `npm run bench`. */
export type Measurement = Measured & (Bound | Unbound)

interface Measured {
  /** What was measured, and the program it is compared with: `CPU, 4 members at 360p / ffmpeg`. */
  what: string
  value: number
  /** Unit such as `ms` or `MiB`; empty for a ratio. */
  unit?: string
}

interface Bound {
  limit: number
  direction: 'at most' | 'at least'
}

/** A result without a limit. */
interface Unbound {
  limit?: never
  direction?: never
}

/** Reports one result: to the bench runner if there is one, else to the console. */
export function report(measurement: Measurement): void {
  if (process.send) process.send(measurement)
  else console.log(JSON.stringify(measurement))
}
