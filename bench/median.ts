/** The median of some numbers (for an even count, the upper of the two in the middle). NaN if there are none. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
