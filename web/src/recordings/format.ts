import { dateText, numberText } from '../languages/formats.ts'
import { t } from '../languages/texts.ts'
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
  return `${numberText(value, { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${units[unit]}`
}

/** `Today, 14:05`, `Yesterday, 09:30`, or the date. @param moment and @param now in Unix milliseconds */
export function dayText(moment: number, now: number): string {
  const time = dateText(moment, { timeStyle: 'short' })
  const days = Math.round((startOfDay(now) - startOfDay(moment)) / 86_400_000)
  if (days === 0) return t('host.today-at', { time })
  if (days === 1) return t('host.yesterday-at', { time })
  return dateText(moment, { dateStyle: 'medium', timeStyle: 'short' })
}

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0)
}
