/** What the text of an option may be. Each takes the text and returns the value. */
import { isIP } from 'node:net'
import { BadValue } from './option.ts'

/** One of these words. @throws BadValue */
export function oneOf<const T extends string>(...allowed: T[]) {
  return (text: string): T => {
    const found = allowed.find((value) => value === text)
    if (found === undefined) throw new BadValue(`one of ${allowed.join(', ')}`)
    return found
  }
}

/** A whole number within these limits. @throws BadValue */
export function integer(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text)
    if (!/^\d{1,15}$/.test(text) || value < min || value > max) {
      throw new BadValue(`a whole number from ${min} to ${max}`)
    }
    return value
  }
}

/** Whole seconds, in milliseconds. @throws BadValue */
export const seconds = (min: number, max: number) => (text: string) => integer(min, max)(text) * 1000

/** Whole days, in milliseconds. @throws BadValue */
export const days = (min: number, max: number) => (text: string) => integer(min, max)(text) * 86_400_000

/** Whole megabytes, in bytes. @throws BadValue */
export const megabytes = (min: number, max: number) => (text: string) => integer(min, max)(text) * 1e6

/** Yes or no. @throws BadValue */
export function flag(text: string): boolean {
  if (['1', 'true', 'yes', 'on'].includes(text)) return true
  if (['0', 'false', 'no', 'off'].includes(text)) return false
  throw new BadValue('1 or 0')
}

/** Id of a project. @throws BadValue */
export function projectId(text: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(text)) {
    throw new BadValue('1 to 100 letters, digits, hyphens and underscores (a UUID is usual)')
  }
  return text
}

/** Any text. */
export const line = (text: string) => text

/** IP addresses and networks, separated by commas. @throws BadValue */
export function addresses(text: string): readonly string[] {
  const list = text.split(',').map((entry) => entry.trim())
  for (const entry of list) {
    const [address = '', bits, ...rest] = entry.split('/')
    const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
    const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest)
    if (longest < 0 || !fits || rest.length > 0) {
      throw new BadValue(`IP addresses or networks (10.0.0.0/8), separated by commas; "${entry}" is neither`)
    }
  }
  return Object.freeze(list)
}
