import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { ServerProcess } from './server-process.ts'

const run = promisify(execFile)

/**
 * Runs an administration command on the data folder of a running server.
 * @returns its output
 */
export async function administer(server: ServerProcess, ...args: string[]): Promise<string> {
  return administerAs(server, {}, ...args)
}

/** Runs an administration command with a changed environment, such as another user's home folder. */
export async function administerAs(
  server: ServerProcess,
  changed: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<string> {
  const env = { ...process.env, ...server.storageEnv, ...changed }
  const { stdout } = await run(process.execPath, ['server/src/admin/main.ts', ...args], {
    cwd: server.program,
    env,
  })
  return stdout.trim()
}
