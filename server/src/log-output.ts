import { type DestinationStream, pino } from 'pino'

/** The standard output, where the log goes. */
const STDOUT = 1

/** Characters by which what strangers send could steer a terminal: as JSON writes them, and those that it does not escape. */
const CONTROLS = /\\u00[01][0-9a-f]|[\u007f-\u009f]/gi

/**
 * Where the log goes: lines for people where the standard output is a terminal, else JSON, a line for each entry. What
 * makes lines for people is loaded only then.
 */
export async function logOutput(): Promise<DestinationStream> {
  if (!process.stdout.isTTY) return pino.destination(STDOUT)
  const { default: pretty } = await import('pino-pretty')
  const lines = pretty({
    destination: STDOUT,
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    // By default it would be written as it is, with its line ends.
    customPrettifiers: { name: (name) => JSON.stringify(name) },
  })
  return { write: (line) => lines.write(line.replaceAll(CONTROLS, '\\ufffd')) }
}
