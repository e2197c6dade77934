import { execFile } from 'node:child_process'

/**
 * Runs a program to its end.
 * @returns its standard output
 * @throws if it fails or takes longer than `timeoutMs`, with the end of its standard error
 */
export function run(program: string, args: readonly string[], timeoutMs = 60_000): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', maxBuffer: 1 << 30, timeout: timeoutMs } as const
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else
        reject(new Error(`${program} ${args.join(' ')}\n${stderr.toString().slice(-2000)}`, { cause: error }))
    })
  })
}
