/**
 * Fails if the lock file lists a package without the hash of its content. Such a package could be replaced during the
 * download, and nobody would notice.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { main, Refusal, root } from './workspace.mjs'

await main(async () => {
  /** @type {Record<string, { integrity?: string, link?: boolean }>} */
  const locked = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages
  const bare = Object.entries(locked)
    .filter(([place, { integrity, link }]) => place.includes('node_modules/') && !link && !integrity)
    .map(([place]) => place)
  if (bare.length > 0) throw new Refusal(`The lock file has no integrity hash for: ${bare.join(', ')}.`)
})
