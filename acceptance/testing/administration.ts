import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { ServerProcess } from './server-process.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../..')

/**
 * Runs a command of the administration on the data folder of a server, while it runs.
 * @returns what it printed
 */
export async function administer(server: ServerProcess, ...args: string[]): Promise<string> {
  const env = { ...process.env, ...server.storageEnv }
  const { stdout } = await run(process.execPath, ['server/src/admin/main.ts', ...args], { cwd: root, env })
  return stdout.trim()
}
