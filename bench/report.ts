/** One number of a measurement, for the table at the end of `npm run bench`. */
export interface Measurement {
  /** What was measured, against which peer: `CPU, 4 members at 360p / ffmpeg`. */
  what: string
  value: number
  /** `ms`, `MiB`; empty for a ratio. */
  unit?: string
  /** Left out where the number is only to be known. */
  limit?: number
  direction?: 'at most' | 'at least'
}

/** Tells one result: to the bench runner where there is one, else to whoever runs the file by hand. */
export function report(measurement: Measurement): void {
  if (process.send) process.send(measurement)
  else console.log(JSON.stringify(measurement))
}
