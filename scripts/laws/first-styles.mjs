/**
 * Every component that is drawn before another area of texts is loaded has its styles in `web/src/page.css`, which lists
 * its folder or file. The styles of all others come with their texts (`web/src/languages/later-areas.ts`).
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../workspace.mjs'
import { areasOf, FIRST_AREA, FIRST_FILE, filesWith } from './page-parts.mjs'

const STYLES = 'web/src/page.css'

/** @param {Map<string, import('./page-parts.mjs').Part>} parts @returns {import('./program.mjs').Violation[]} */
export function stylesNotListed(parts) {
  const listed = [...readFileSync(path.join(root, STYLES), 'utf8').matchAll(/@source "\.\/(.+)"/g)].map(
    ([, place]) => `web/src/${place}`,
  )
  const isListed = (/** @type {string} */ file) =>
    listed.some((place) => file === place || file.startsWith(`${place}/`))
  return firstFiles(parts)
    .filter((file) => file.endsWith('.tsx') && file !== FIRST_FILE && !isListed(file))
    .map((file) => ({
      file,
      line: 1,
      says: `it is drawn without the styles of later screens: add its folder or file as an @source to ${STYLES}`,
    }))
}

/** What comes first, and what is loaded later and shows no texts but the first. @param {Map<string, import('./page-parts.mjs').Part>} parts */
function firstFiles(parts) {
  const files = new Set(filesWith(FIRST_FILE, parts))
  for (const file of files) {
    for (const { from } of parts.get(file)?.lazy ?? []) {
      const isFirst = [...areasOf(from, parts)].every((area) => area === FIRST_AREA)
      if (isFirst) for (const one of filesWith(from, parts)) files.add(one)
    }
  }
  return [...files].filter((file) => parts.has(file))
}
