import type { Command, CommandOption } from './command.ts'

/** Formats rows as lines. Each column is as wide as its widest entry. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length)
    })
  }
  const line = (row: readonly string[]) =>
    row.map((cell, index) => cell.padEnd(index === row.length - 1 ? 0 : (widths[index] ?? 0))).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}

/** @param ms Unix milliseconds */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

const indented = (text: string) => text.replaceAll(/^/gm, '  ')

/** All commands, one per line. */
export function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [name, summary])
  return [
    'Usage: parley <command> [options]',
    '',
    indented(columns(rows)),
    '',
    'The configuration is that of the server: the variables PARLEY_…, as "parley config show" lists them.',
    '"parley <command> --help" tells what a command takes. Exit codes: 0 done, 1 failed, 2 not understood.',
  ].join('\n')
}

/** Everything about one command. */
export function commandHelp(command: Command, common: Readonly<Record<string, CommandOption>>): string {
  const { name, summary, details, positionals = [], options = {} } = command
  const spelt = (option: string, { value }: CommandOption) => `--${option}${value ? ` <${value}>` : ''}`
  const needed = Object.entries(options).filter(([, { required }]) => required)
  const usage = [
    `Usage: parley ${name}`,
    ...positionals.map((one) => `<${one.name}>`),
    ...needed.map(([option, spec]) => spelt(option, spec)),
    '[options]',
  ]
  const rows = [
    ...positionals.map((one) => [`<${one.name}>`, one.doc]),
    ...Object.entries({ ...options, ...common }).map(([option, spec]) => [spelt(option, spec), spec.doc]),
  ]
  return [usage.join(' '), '', summary, ...(details ? ['', details] : []), '', indented(columns(rows))].join(
    '\n',
  )
}
