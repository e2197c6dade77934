import type { Actor } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'

/** What a command runs in. */
export interface CommandContext {
  /** The environment, from which the configuration is read. */
  env: Readonly<Record<string, string | undefined>>
  clock: Clock
  /** Who runs the command, for the audit log. */
  actor: Actor
  /** Prints a line for whoever reads, or for the next program. */
  say(line: string): void
  /** Prints a line that is no result: progress, warnings. */
  note(line: string): void
}

/** An option of a command. */
export interface CommandOption {
  /** Name of its value, such as `text`; none for a switch. */
  value?: string
  doc: string
  required?: boolean
}

/** What stood on the command line, checked against what the command takes. */
export interface Arguments {
  /** As many as the command names. */
  positionals: readonly string[]
  /** The value of an option; undefined where it was not given. */
  text(option: string): string | undefined
  /** Whether a switch was given. */
  has(option: string): boolean
}

/** One command of the administration. */
export interface Command {
  /** The words that call it, such as `projects create`. */
  name: string
  /** One line. */
  summary: string
  /** More lines, where one does not say it all. */
  details?: string
  /** What must follow, in order. */
  positionals?: readonly { name: string; doc: string }[]
  options?: Readonly<Record<string, CommandOption>>
  /** @returns the exit code where it is not 0 */
  run(context: CommandContext, args: Arguments): Promise<number | undefined>
}

/** The exit codes of all commands. */
export const EXIT = { done: 0, failed: 1, misused: 2 } as const

/** The command line is not one that can be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * What the file system or the database says of why it refuses; undefined for errors of the program itself. Such an
 * error names the file, and a stack would help nobody.
 */
export function systemRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return 'syscall' in error || /^SQLITE_/.test(String(error.code)) ? error.message : undefined
}

/** It cannot be done, for a reason that the operator can put right. The message says what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}
