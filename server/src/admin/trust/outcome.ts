/** What happened to one trust store. */
export interface Outcome {
  /** The store, in the words of its users. */
  store: string
  /** `unchanged`: the authority was in already, or was not in and had to be removed. `not done`: see `reason`. */
  status: 'added' | 'removed' | 'unchanged' | 'not done'
  /** Where the store is. */
  place: string
  /** Why it was not done. Absent otherwise. */
  reason?: string
  /** Commands that do it, for the operator to run. */
  commands?: readonly string[]
}

/** What to do with the authority. */
export type Wish = 'add' | 'remove'

/** Quotes a word for a POSIX shell where it needs quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** A command line that can be pasted into a shell. */
export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(' ')
