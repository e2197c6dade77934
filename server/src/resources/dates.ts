const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,20}))?(?:[Zz]|([+-])(\d{2}):(\d{2})))?$/

/** Range that RFC 3339 can write in UTC: the years 0000 to 9999. A local time with an offset may lie outside of it. */
const EARLIEST = -62_167_219_200_000
const LATEST = 253_402_300_799_999

/**
 * Reads a date and time of RFC 3339 (section 5.6), or a date alone, which means midnight in UTC. The date must exist:
 * 30 February does not. A leap second is read as the first moment of the next minute.
 * @returns Unix milliseconds, or undefined when the text is no such date; digits below the millisecond are cut off
 */
export function parseMoment(text: string): number | undefined {
  const match = DATE_TIME.exec(text)
  if (!match) return undefined
  const field = (index: number) => Number(match[index] ?? 0)
  const [year, month, day] = [field(1), field(2), field(3)]
  const [hour, minute, second] = [field(4), field(5), field(6)]
  const [offsetHour, offsetMinute] = [field(9), field(10)]
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined

  const offsetMs = (offsetHour * 60 + offsetMinute) * 60_000 * (match[8] === '-' ? -1 : 1)
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const date = new Date(0)
  // Date.UTC would take the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, milliseconds)
  const time = date.getTime() - offsetMs
  if (second === 60 && !followsLeapSecond(time - milliseconds)) return undefined
  return time < EARLIEST || time > LATEST ? undefined : time
}

function daysInMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Leap seconds occur at the end of a month in UTC. */
function followsLeapSecond(time: number): boolean {
  const date = new Date(time)
  return time % 86_400_000 === 0 && date.getUTCDate() === 1
}

/**
 * Reads what {@link parseMoment} reads, or whole seconds since 1970.
 * @returns Unix milliseconds, or undefined when it is neither
 */
export function parseMomentOrTimestamp(text: string): number | undefined {
  if (!/^-?\d{1,12}$/.test(text)) return parseMoment(text)
  const time = Number(text) * 1000
  return time < EARLIEST || time > LATEST ? undefined : time
}

const RFC_2822 =
  /^(?:[A-Z][a-z]{2,4}, ?)?(\d{1,2}) ([A-Z][a-z]{2})t? (\d{4}) (\d{2}:\d{2})(?::(\d{2}))? (?:GMT|UTC?|([+-]\d{2})(\d{2}))$/
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * Reads what {@link parseMoment} reads, or a date and time of RFC 2822 (section 3.3), such as
 * `Wed, 19 Sep 2018 20:00:00 +0000`. The day of the week is not looked at.
 * @returns Unix milliseconds, or undefined when it is neither
 */
export function parseMomentOrRfc2822(text: string): number | undefined {
  const match = RFC_2822.exec(text)
  if (!match) return parseMoment(text)
  const [, day = '', month = '', year, time, seconds = '00', offsetHours = '+00', offsetMinutes = '00'] =
    match
  const number = MONTHS.indexOf(month) + 1
  const date = `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
  return parseMoment(`${date}T${time}:${seconds}${offsetHours}:${offsetMinutes}`)
}

/**
 * Formats a time as UTC in RFC 2822.
 * @param time Unix milliseconds; the fraction of the second is cut off
 */
export const formatRfc2822 = (time: number): string => new Date(time).toUTCString().replace('GMT', '+0000')

const DAY_MS = 86_400_000
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
/** Cache of formatted dates, up to the `T`. Keyed by days since 1970. */
const knownDates = new Map<number, string>()
const KNOWN_DATES_MAX = 1000

/**
 * Formats a time as UTC in ISO 8601. Whole seconds have no fraction. `toISOString` takes three times as long, which
 * would be most of the time for showing a record.
 * @param time Unix milliseconds
 * @throws RangeError when `time` is not a valid time
 */
export function formatMoment(time: number): string {
  const whole = Math.trunc(time)
  const day = Math.floor(whole / DAY_MS)
  const ms = whole - day * DAY_MS
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const hour = TWO_DIGITS[Math.floor(minutes / 60)]
  const text = `${knownDates.get(day) ?? dateOf(day)}${hour}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`
  const fraction = ms % 1000
  return fraction === 0 ? `${text}Z` : `${text}.${String(fraction).padStart(3, '0')}Z`
}

function dateOf(day: number): string {
  const date = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length)
  if (knownDates.size === KNOWN_DATES_MAX) knownDates.clear()
  knownDates.set(day, date)
  return date
}

/** {@link formatMoment}, where null stays null. */
export const formatMomentOrNull = (time: number | null): string | null =>
  time === null ? null : formatMoment(time)
