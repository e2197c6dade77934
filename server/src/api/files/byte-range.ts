/** Bytes of a file, from the first to the last one. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * The one range that a request asks for (RFC 9110, section 14.2).
 * @param size of the whole file in bytes
 * @returns undefined for all of it: without the header, or for several ranges, which a server need not answer;
 * `unsatisfiable` when the file ends before the range begins
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined | 'unsatisfiable' {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  // The other way round it is no range at all.
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined
  return first >= size || (from === '' && Number(to) === 0) ? 'unsatisfiable' : { first, last }
}
