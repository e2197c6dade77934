import type { Command } from '../command.ts'
import { version } from '../version.ts'
import { auditCommands } from './audit.ts'
import { backupCommands } from './backup.ts'
import { configCommands } from './config.ts'
import { doctorCommands } from './doctor.ts'
import { drainCommands } from './drain.ts'
import { mediaCommands } from './media.ts'
import { projectCommands } from './projects.ts'
import { subscriberCommands } from './subscribers.ts'
import { tokenCommands } from './tokens.ts'
import { trustCommands } from './trust.ts'
import { userCommands } from './users.ts'
import { webhookCommands } from './webhooks.ts'

/** Every command of the administration, in the order of the overview. */
export const allCommands: readonly Command[] = [
  ...projectCommands,
  ...tokenCommands,
  ...userCommands,
  ...subscriberCommands,
  ...webhookCommands,
  ...auditCommands,
  ...configCommands,
  ...trustCommands,
  ...backupCommands(version),
  ...mediaCommands,
  ...doctorCommands,
  ...drainCommands,
]
