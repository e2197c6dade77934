import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { systemClock } from '../clock.ts'
import { OWNER_ONLY_UMASK } from '../storage/private-folder.ts'
import { runCli } from './cli.ts'
import { allCommands } from './commands/all.ts'
import { operator } from './operator.ts'
import { version } from './version.ts'

/** Result of a command. For tests. */
export interface CommandRun {
  code: number | null
  out: string
  err: string
}

/** Runs `parley` as a process of its own. */
export async function parley(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...words], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const run: CommandRun = { code: null, out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    run.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    run.err += text
  })
  const [code] = await once(child, 'close')
  return { ...run, code }
}

/** Runs a command in this process, which saves the second that a separate process takes to start. */
export async function parleyInProcess(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const run: CommandRun = { code: null, out: '', err: '' }
  const context = {
    env,
    clock: systemClock,
    actor: operator(env),
    say: (line: string) => {
      run.out += `${line}\n`
    },
    note: (line: string) => {
      run.err += `${line}\n`
    },
  }
  const umask = process.umask(OWNER_ONLY_UMASK)
  try {
    run.code = await runCli(allCommands, words, context, version)
  } finally {
    process.umask(umask)
  }
  return run
}
