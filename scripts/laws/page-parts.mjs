/** The files of the pages: what comes with what, and which texts they show. */

/** @typedef {import('./program.mjs').Violation} Violation */

/** @typedef {{ from: string, found: Violation }} LazyImport `found`: what to say if its areas are not loaded */

/**
 * @typedef {object} Part one file of the pages
 * @property {string[]} imports files that come with it
 * @property {LazyImport[]} lazy files that it loads later
 * @property {Set<string>} shows areas
 * @property {Set<string>} loads areas
 */

/** Everything begins here. */
export const FIRST_FILE = 'web/src/main.tsx'
/** The area of texts that is always loaded. */
export const FIRST_AREA = 'guest'

/** A file, and all that comes with it. @param {string} file @param {Map<string, Part>} parts */
export function filesWith(file, parts) {
  const waiting = [file]
  const seen = new Set(waiting)
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    for (const next of parts.get(one)?.imports ?? []) {
      if (seen.has(next)) continue
      seen.add(next)
      waiting.push(next)
    }
  }
  return [...seen]
}

/** The areas of a file and of all that comes with it. @param {string} file @param {Map<string, Part>} parts */
export function areasOf(file, parts) {
  return new Set(filesWith(file, parts).flatMap((one) => [...(parts.get(one)?.shows ?? [])]))
}
