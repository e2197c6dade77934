import { execFile } from 'node:child_process'

/** How long a program may take, in milliseconds. `update-ca-certificates` rebuilds all bundles, Java's among them. */
const TIMEOUT_MS = 60_000

/** Result of a program. */
export interface ProgramRun {
  /** Exit code; null when there is no such program. */
  code: number | null
  /** Standard output. */
  out: string
  /** The last line that it wrote to standard error, usually the reason of a failure. */
  complaint: string
}

/**
 * Runs a program to its end, without a terminal: it cannot ask questions. Programs for administrators are found too,
 * whose folders are not on everybody's path.
 */
export function runProgram(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<ProgramRun> {
  const path = [env.PATH, '/usr/sbin', '/sbin'].filter(Boolean).join(':')
  return new Promise((resolve) => {
    const options = { env: { ...env, PATH: path, LC_ALL: 'C' }, timeout: TIMEOUT_MS }
    const child = execFile(program, args, options, (error, out, err) => {
      const lines = err.trim().split('\n')
      const complaint = lines.at(-1) || error?.message || ''
      const { code = 0 } = (error ?? {}) as { code?: number | string }
      if (code === 'ENOENT') resolve({ code: null, out, complaint })
      else resolve({ code: typeof code === 'number' ? code : 1, out, complaint })
    })
    child.stdin?.end()
  })
}
