#!/usr/bin/env node
/** The administration: `npx parley <command>`. */
import { readFileSync } from 'node:fs'
import { systemClock } from '../clock.ts'
import { OWNER_ONLY_UMASK } from '../storage/private-folder.ts'
import { runCli } from './cli.ts'
import { auditCommands } from './commands/audit.ts'
import { backupCommands } from './commands/backup.ts'
import { configCommands } from './commands/config.ts'
import { doctorCommands } from './commands/doctor.ts'
import { projectCommands } from './commands/projects.ts'
import { tokenCommands } from './commands/tokens.ts'
import { operator } from './operator.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const commands = [
  ...projectCommands,
  ...tokenCommands,
  ...auditCommands,
  ...configCommands,
  ...backupCommands(version),
  ...doctorCommands,
]

process.umask(OWNER_ONLY_UMASK)
process.exitCode = await runCli(
  commands,
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
