/** All objects of recordings begin with it. */
export const RECORDINGS = 'recordings/'

/** Digits of the number in the key of a fragment, so that keys sort like numbers. */
const OFFSET_DIGITS = 15

/** The object of a file, by its path below the recordings folder. */
export const objectKey = (file: string): string => RECORDINGS + file

/** How the keys of the fragments of a recording begin. */
export const fragmentPrefix = (file: string): string => `${RECORDINGS}${file.replace(/\.mp4$/, '')}/`

/** The object with the bytes of a growing file from an offset on. */
export const fragmentKey = (file: string, offset: number): string =>
  fragmentPrefix(file) + String(offset).padStart(OFFSET_DIGITS, '0')

/** Offset in the file of the bytes of a fragment. */
export const fragmentOffset = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1))

/** What an object is; null for one that this server did not make. */
export function parseKey(key: string): { recordingId: string; kind: 'media' | 'poster' | 'fragment' } | null {
  const [, recordingId, rest = ''] = /^recordings\/([0-9a-f-]{36})(\.mp4|\.webp|\/\d{15})$/.exec(key) ?? []
  if (recordingId === undefined) return null
  return { recordingId, kind: rest === '.mp4' ? 'media' : rest === '.webp' ? 'poster' : 'fragment' }
}
