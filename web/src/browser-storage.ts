/** Tab: kept until the tab closes, including reloads. Device: kept permanently. */
export type StorageKind = 'tab' | 'device'

/** Values that could not be stored because the browser forbids it. They last until the next reload. */
const inMemory = new Map<string, string>()

/** Null if nothing is stored. Never throws, even if the browser blocks storage. */
export function readStored(kind: StorageKind, key: string): string | null {
  try {
    return storage(kind).getItem(key)
  } catch {
    return inMemory.get(`${kind} ${key}`) ?? null
  }
}

/** Stores a text, or deletes it if `value` is null. */
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
