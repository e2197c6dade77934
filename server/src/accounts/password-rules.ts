import { Refusal } from '../errors/refusal.ts'

/** Limits of a password, in characters. */
export const PASSWORD_MIN = 12
export const PASSWORD_MAX = 1000

/** Words that stand in nearly every guess. What is left without them has to be long enough. */
const COMMON =
  /passwor[dt]|passw0rd|p@ssw0rd|welcome|willkommen|letmein|admin|administrator|iloveyou|changeme|secret|qwertz?|azerty|asdfg|yxcvb|zxcvb|monkey|dragon|football|baseball|sunshine|princess|master|login|test|parley|meeting|conference|video/g
const ROWS = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'qwertzuiop', 'asdfghjkl', 'zxcvbnm']
/** Characters that have to be left without names, common words, and runs of the alphabet or the keyboard. */
const OWN_MIN = 6
const DIFFERENT_MIN = 5

/**
 * Refuses passwords that are short or that everybody would guess.
 * @param names names that the password must not consist of: the user's, the project's
 * @throws Refusal `invalid_parameter`
 */
export function checkPassword(password: string, names: readonly string[]): void {
  const length = [...password].length
  if (length < PASSWORD_MIN) throw refusal(`must have ${PASSWORD_MIN} characters or more`)
  if (length > PASSWORD_MAX) throw refusal(`must have ${PASSWORD_MAX} characters at most`)
  if (isObvious(password, names)) {
    throw refusal('is easy to guess: use several words that do not belong together, or a password manager')
  }
}

const refusal = (message: string) => new Refusal('invalid_parameter', { attribute: 'password', message })

function isObvious(password: string, names: readonly string[]): boolean {
  const lower = password.toLowerCase()
  if (new Set(lower).size < DIFFERENT_MIN || isRepeated(lower)) return true
  const known = names.flatMap((name) => name.toLowerCase().split(/[^\p{L}\p{N}]+/u)).filter(isWord)
  const rest = known.reduce((text, name) => text.replaceAll(name, ''), lower).replaceAll(COMMON, '')
  return [...withoutRuns(rest)].length < OWN_MIN
}

const isWord = (text: string) => text.length >= 3

/** Whether a text is one short piece again and again. */
function isRepeated(text: string): boolean {
  return (
    /^(.{1,6}?)\1+.{0,5}$/su.test(text) && (/^(.{1,6}?)\1+/su.exec(text)?.[0].length ?? 0) > text.length / 2
  )
}

/** Leaves out pieces of four characters or more that follow each other in a row, forwards or backwards. */
function withoutRuns(text: string): string {
  const rows = ROWS.flatMap((row) => [row, [...row].reverse().join('')])
  let rest = ''
  for (let at = 0; at < text.length; ) {
    const longest = Math.max(...rows.map((row) => runLength(text, at, row)))
    if (longest < 4) rest += text[at]
    at += longest < 4 ? 1 : longest
  }
  return rest
}

function runLength(text: string, at: number, row: string): number {
  const start = row.indexOf(text[at] ?? '')
  if (start < 0) return 0
  let length = 1
  while (
    start + length < row.length &&
    at + length < text.length &&
    text[at + length] === row[start + length]
  )
    length++
  return length
}
