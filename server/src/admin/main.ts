#!/usr/bin/env node
/** The administration: `npx parley <command>`. */
import { systemClock } from '../clock.ts'
import { OWNER_ONLY_UMASK } from '../storage/private-folder.ts'
import { runCli } from './cli.ts'
import { allCommands, version } from './commands/all.ts'
import { operator } from './operator.ts'

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
