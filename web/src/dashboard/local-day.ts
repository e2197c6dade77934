/** Midnight of a local day, or some days later, as ISO 8601. @param day `2030-01-31` */
export function startOfDay(day: string, daysLater: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + daysLater).toISOString()
}
