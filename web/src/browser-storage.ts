/** Tab: until it closes, reloads included. Device: for good. */
export type StorageKind = 'tab' | 'device'

/** What could not be stored because the browser forbids it; lasts until the next reload. */
const inMemory = new Map<string, string>()

/** Null where nothing is stored. Never throws, also where the browser blocks storage. */
export function readStored(kind: StorageKind, key: string): string | null {
  try {
    return storage(kind).getItem(key)
  } catch {
    return inMemory.get(`${kind} ${key}`) ?? null
  }
}

/** Stores a text, or forgets it when `value` is null. */
export function writeStored(kind: StorageKind, key: string, value: string | null): void {
  try {
    if (value === null) storage(kind).removeItem(key)
    else storage(kind).setItem(key, value)
  } catch {
    if (value === null) inMemory.delete(`${kind} ${key}`)
    else inMemory.set(`${kind} ${key}`, value)
  }
}

function storage(kind: StorageKind): Storage {
  return kind === 'tab' ? window.sessionStorage : window.localStorage
}
