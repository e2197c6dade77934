/** Rooms with fewer people than this are seen at a glance. */
export const SEARCH_FROM = 8

/** Returns those whose name contains what was typed, whatever its case and accents. */
export function findPeople<Person extends { name: string }>(
  people: readonly Person[],
  typed: string,
): readonly Person[] {
  const wanted = plain(typed.trim())
  return wanted === '' ? people : people.filter(({ name }) => plain(name).includes(wanted))
}

const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
