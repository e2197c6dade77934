import { i18n } from '@lingui/core'

/** A moment in the person's language and time zone. @param moment a date, Unix milliseconds, or ISO 8601 */
export function dateText(moment: Date | number | string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(i18n.locales, options).format(new Date(moment))
}

/** A number in the person's language, such as `1,234.5` or `12%`. */
export function numberText(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(i18n.locales, options).format(value)
}

/** Parts of a list in the person's language, such as `Ada, Grace and Linus`. */
export function listText(parts: readonly string[]): string {
  return new Intl.ListFormat(i18n.locales).format(parts)
}

/** `0:07`, `12:30`, `1:02:05`. @param seconds negative counts as zero */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const two = (value: number) => numberText(value, { minimumIntegerDigits: 2 })
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  return hours > 0
    ? `${numberText(hours)}:${two(minutes)}:${two(whole % 60)}`
    : `${numberText(minutes)}:${two(whole % 60)}`
}
