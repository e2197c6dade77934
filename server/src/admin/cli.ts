import { parseArgs } from 'node:util'
import { OperatorError } from '../errors/operator-error.ts'
import { Refusal } from '../errors/refusal.ts'
import {
  type Arguments,
  type Command,
  type CommandContext,
  type CommandOption,
  EXIT,
  systemRefusal,
  UsageError,
} from './command.ts'
import { commandHelp, overview } from './help.ts'

/** Options of every command. */
export const COMMON_OPTIONS: Readonly<Record<string, CommandOption>> = {
  'data-dir': { value: 'folder', doc: 'Data folder, in place of PARLEY_DATA_DIR.' },
  help: { doc: 'Say what the command does and takes.' },
}

/**
 * Runs one command.
 * @param words arguments of the command line, without program and script
 * @param version version of the server
 * @returns the exit code
 */
export async function runCli(
  commands: readonly Command[],
  words: readonly string[],
  context: CommandContext,
  version: string,
): Promise<number> {
  try {
    const [first, second] = words
    if (first === '--version') {
      context.say(version)
      return EXIT.done
    }
    if (first === 'help' && second !== undefined) {
      return await runCli(commands, [...words.slice(1), '--help'], context, version)
    }
    if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
      context.say(overview(commands))
      return EXIT.done
    }
    const command = findCommand(commands, words)
    if (!command) return unknown(commands, first, second, context)
    const rest = words.slice(command.name.split(' ').length)
    if (rest.includes('--help') || rest.includes('-h')) {
      context.say(commandHelp(command, COMMON_OPTIONS))
      return EXIT.done
    }
    const args = readArguments(command, rest)
    const dataDir = args.text('data-dir')
    const env = dataDir === undefined ? context.env : { ...context.env, PARLEY_DATA_DIR: dataDir }
    return (await command.run({ ...context, env }, args)) ?? EXIT.done
  } catch (error) {
    return report(error, context)
  }
}

function findCommand(commands: readonly Command[], words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(' ').every((word, index) => word === words[index]))
}

/** Shows the commands of a group when its second word is missing. Any other unknown command is an error. */
function unknown(
  commands: readonly Command[],
  first: string,
  second: string | undefined,
  { say, note }: CommandContext,
): number {
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0 && (second === undefined || second === '--help' || second === '-h')) {
    say(overview(group))
    return second === undefined ? EXIT.misused : EXIT.done
  }
  const called = group.length > 0 ? `${first} ${second}` : first
  note(`There is no command "${called}".\n\n${overview(group.length > 0 ? group : commands)}`)
  return EXIT.misused
}

function readArguments(command: Command, words: readonly string[]): Arguments {
  const { name, positionals = [], options = {} } = command
  const known = { ...options, ...COMMON_OPTIONS }
  const usage = `See "parley ${name} --help".`
  const entries = Object.entries(known).map(([option, { value }]) => [
    option,
    { type: value === undefined ? ('boolean' as const) : ('string' as const) },
  ])
  let parsed: ReturnType<typeof parseArgs>
  try {
    parsed = parseArgs({
      args: [...words],
      options: Object.fromEntries(entries),
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${usage}`, {
      cause: error,
    })
  }
  if (parsed.positionals.length !== positionals.length) {
    const wanted = positionals.map((one) => `<${one.name}>`).join(' ') || 'nothing'
    throw new UsageError(`"parley ${name}" takes ${wanted} besides its options. ${usage}`)
  }
  for (const [option, { required }] of Object.entries(options)) {
    if (required && !parsed.values[option]) throw new UsageError(`--${option} is missing. ${usage}`)
  }
  return {
    positionals: parsed.positionals,
    text: (option) => {
      const value = parsed.values[option]
      return typeof value === 'string' ? value : undefined
    },
    has: (option) => parsed.values[option] === true,
  }
}

function report(error: unknown, { note }: CommandContext): number {
  if (error instanceof UsageError) {
    note(error.message)
    return EXIT.misused
  }
  if (error instanceof Refusal) {
    for (const { message, attribute } of error.entries) note(attribute ? `${attribute}: ${message}` : message)
  } else if (error instanceof OperatorError) note(error.message)
  else note(systemRefusal(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)))
  return EXIT.failed
}
