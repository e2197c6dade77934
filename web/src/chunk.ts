import { use } from 'react'

/** A part of the page that is loaded when it is needed, or before. */
export class Chunk<T> {
  readonly #fetch: () => Promise<T>
  #loading: Promise<T> | undefined
  #loaded: { part: T } | undefined

  constructor(fetch: () => Promise<T>) {
    this.#fetch = fetch
  }

  /** Null until it has been loaded. */
  get loaded(): { part: T } | null {
    return this.#loaded ?? null
  }

  /** Loads it once. A failure is final, for browsers keep it: only a reload of the page tries again. */
  load(): Promise<T> {
    this.#loading ??= this.#fetch().then((part) => {
      this.#loaded = { part }
      return part
    })
    return this.#loading
  }
}

/**
 * The part. A component that wants it waits for it, unless it is there: then it is drawn at once. React shows what `lazy` has
 * made 300 ms after the last placeholder at the soonest, even if it was there long before.
 */
export function useChunk<T>(chunk: Chunk<T>): T {
  return chunk.loaded ? chunk.loaded.part : use(chunk.load())
}
