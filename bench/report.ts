/** One number of a measurement, for the table at the end of `npm run bench`. */
export type Measurement = Measured & (Bound | Unbound)

interface Measured {
  /** What was measured, against which peer: `CPU, 4 members at 360p / ffmpeg`. */
  what: string
  value: number
  /** `ms`, `MiB`; empty for a ratio. */
  unit?: string
}

interface Bound {
  limit: number
  direction: 'at most' | 'at least'
}

/** The number is only to be known. */
interface Unbound {
  limit?: never
  direction?: never
}

/** Tells one result: to the bench runner where there is one, else to whoever runs the file by hand. */
export function report(measurement: Measurement): void {
  if (process.send) process.send(measurement)
  else console.log(JSON.stringify(measurement))
}
