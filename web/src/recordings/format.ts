/** `0:07`, `12:30`, `1:02:05`. @param seconds negative counts as zero */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** `820 B`, `3.4 MB`: units are powers of 1000, as in file managers. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1
  return `${value.toFixed(digits)} ${units[unit]}`
}

/** `Today, 14:05`, `Yesterday, 09:30`, or the date. @param time and @param now in Unix milliseconds */
export function dayText(time: number, now: number, locale?: string): string {
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(time)
  const days = Math.round((startOfDay(now) - startOfDay(time)) / 86_400_000)
  if (days === 0) return `Today, ${clock}`
  if (days === 1) return `Yesterday, ${clock}`
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(time)
}

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0)
}
