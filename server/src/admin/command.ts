import type { Actor } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'

/** Environment of a running command. */
export interface CommandContext {
  /** The environment that the configuration is read from. */
  env: Readonly<Record<string, string | undefined>>
  clock: Clock
  /** The user who runs the command, for the audit log. */
  actor: Actor
  /** Prints a line of the result, for a person or the next program. */
  say(line: string): void
  /** Prints a line that is not part of the result, such as progress or a warning. */
  note(line: string): void
}

/** An option of a command. */
export interface CommandOption {
  /** Name of the option's value, such as `text`; absent for a switch. */
  value?: string
  doc: string
  required?: boolean
}

/** Arguments of the command line, checked against the command's declaration. */
export interface Arguments {
  /** Exactly as many as the command declares. */
  positionals: readonly string[]
  /** The value of an option; undefined when it was not given. */
  text(option: string): string | undefined
  /** Whether a switch was given. */
  has(option: string): boolean
}

/** One command of the administration. */
export interface Command {
  /** The words that start the command, such as `projects create`. */
  name: string
  /** Description in one line. */
  summary: string
  /** More lines of description, if one is not enough. */
  details?: string
  /** Required arguments, in order. */
  positionals?: readonly { name: string; doc: string }[]
  options?: Readonly<Record<string, CommandOption>>
  /** @returns the exit code if it is not 0 */
  run(context: CommandContext, args: Arguments): Promise<number | undefined>
}

/** The exit codes of all commands. */
export const EXIT = { done: 0, failed: 1, misused: 2 } as const

/** Thrown when the command line is not valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * The reason that the file system or the database gives for an error; undefined for errors of the program itself. Such
 * a message names the file, and a stack trace would not help.
 */
export function systemRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return 'syscall' in error || /^SQLITE_/.test(String(error.code)) ? error.message : undefined
}
