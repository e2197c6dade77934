#!/usr/bin/env node
/** The administration: `npx parley <command>`. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Called before all other imports, so that they use the cache.
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/parley/admin'))
const [{ systemClock }, { OWNER_ONLY_UMASK }, { runCli }, { allCommands }, { operator }, { version }] =
  await Promise.all([
    import('../clock.ts'),
    import('../storage/private-folder.ts'),
    import('./cli.ts'),
    import('./commands/all.ts'),
    import('./operator.ts'),
    import('./version.ts'),
  ])

process.umask(OWNER_ONLY_UMASK)
process.exitCode = await runCli(
  allCommands,
  process.argv.slice(2),
  {
    env: process.env,
    clock: systemClock,
    actor: operator(process.env),
    say: (line) => process.stdout.write(`${line}\n`),
    note: (line) => process.stderr.write(`${line}\n`),
  },
  version,
)
