import type { Readable } from 'node:stream'

/** An object of a listing. */
export interface StoredObject {
  key: string
  /** Bytes. */
  size: number
  /** Unix milliseconds. */
  changedAt: number
}

export interface PutFileOptions {
  /** Called with the bytes that are sent so far. */
  onSent?: ((bytes: number) => void) | undefined
  /** Ends the sending. */
  signal?: AbortSignal | undefined
}

/** There is no such object. */
export class NoSuchObject extends Error {
  override readonly name = 'NoSuchObject'
}

/**
 * A store of objects by key. Keys are without the prefix of the installation, which the store adds. Every method rejects
 * when the store cannot be reached, is too slow, or refuses; {@link storeProblem} says why in words.
 */
export interface ObjectStore {
  /** Where it is, for people: endpoint, bucket and prefix. */
  readonly place: string
  /** Origin of all addresses that {@link link} makes; null if browsers do not reach the store. */
  readonly linkOrigin: string | null
  put(key: string, content: Uint8Array, type: string): Promise<void>
  /**
   * Stores a file that nobody changes meanwhile. Larger ones go in parts, and the object is there when all are.
   * @returns bytes, and SHA-256 in hexadecimal
   */
  putFile(
    key: string,
    file: string,
    type: string,
    options?: PutFileOptions,
  ): Promise<{ size: number; sha256: string }>
  /**
   * @param range first and last byte; by default all
   * @param signal cuts the stream as well
   * @throws NoSuchObject
   */
  get(key: string, range?: { first: number; last: number }, signal?: AbortSignal): Promise<Readable>
  /** @returns bytes; null if there is no such object */
  size(key: string): Promise<number | null>
  /** Sorted by key. */
  list(prefix: string): AsyncGenerator<StoredObject>
  /** Removes an object, or does nothing if there is none. */
  remove(key: string): Promise<void>
  /**
   * @param disposition what browsers do with it (RFC 6266)
   * @returns an address by which anybody reads the object for so long; null if browsers do not reach the store
   */
  link(key: string, seconds: number, disposition: string): Promise<string | null>
  /** Gives up parts of files that were being stored before that time and were never completed. */
  dropUnfinished(before: number): Promise<void>
  close(): void
}

/** What went wrong with a store, in words for its operator. */
export function storeProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  const inner = error instanceof AggregateError ? storeProblem(error.errors[0]) : ''
  const words = [error.name !== 'Error' && error.name, error.message || inner, code].filter(Boolean)
  return [...new Set(words)].join(': ')
}
