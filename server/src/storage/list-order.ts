/**
 * Sort order of a list. Rooms, sessions and recordings use newest first. Events and members use oldest first. Names are
 * compared byte by byte in UTF-8.
 */
export type ListOrder = 'newest-first' | 'oldest-first' | 'name-ascending' | 'name-descending'

/** Whether the list is ordered by name, not by time. */
export const isByName = (order: ListOrder): boolean =>
  order === 'name-ascending' || order === 'name-descending'

/** Whether later times or names come first. */
export const isDescending = (order: ListOrder): boolean =>
  order === 'newest-first' || order === 'name-descending'
