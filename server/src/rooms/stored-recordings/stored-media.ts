import type { Readable } from 'node:stream'
import { Refusal } from '../../errors/refusal.ts'
import { NoSuchObject, type ObjectStore } from '../../object-store/object-store.ts'
import { posterFile } from '../../storage/recording-files.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import { objectKey } from './object-keys.ts'
import type { RecordingFragments } from './recording-fragments.ts'

/** How long an address of the store is valid. The link that leads to it is judged anew each time. */
const ADDRESS_SECONDS = 300

/** The files of recordings in the store. */
export interface StoredMedia {
  /** Origin of what {@link address} returns; null if browsers do not reach the store. */
  readonly origin: string | null
  /** @throws Refusal `file_not_found`, or `unavailable` when the store cannot be reached */
  read(recording: RecordingRecord, range: { first: number; last: number }): Promise<Readable>
  /** @throws Refusal as {@link read} */
  readPoster(recording: RecordingRecord): Promise<Readable>
  /**
   * @param disposition what browsers do with it (RFC 6266)
   * @returns an address at the store, for five minutes; null if browsers do not reach the store
   */
  address(recording: RecordingRecord, disposition: string): Promise<string | null>
  /** Removes a file by its path below the recordings folder, and the fragments of a recording. */
  remove(file: string): Promise<void>
}

export function createStoredMedia(
  store: ObjectStore,
  fragments: Pick<RecordingFragments, 'remove'>,
): StoredMedia {
  const read = (file: string, range?: { first: number; last: number }) =>
    store.get(objectKey(file), range).catch((error: unknown) => {
      if (error instanceof NoSuchObject) throw new Refusal('file_not_found')
      const message = 'The store of recordings cannot be reached now. Try again in a few seconds.'
      throw new Refusal('unavailable', { message, cause: error })
    })

  return {
    origin: store.linkOrigin,
    read: ({ file }, range) => read(file, range),
    readPoster: (recording) => read(posterFile(recording)),
    address: ({ file }, disposition) => store.link(objectKey(file), ADDRESS_SECONDS, disposition),
    async remove(file) {
      await store.remove(objectKey(file))
      if (file.endsWith('.mp4')) await fragments.remove(file)
    },
  }
}
