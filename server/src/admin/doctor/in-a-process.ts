import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Finding } from './finding.ts'

const COMMAND = fileURLToPath(new URL('../main.ts', import.meta.url))
const TIMEOUT_MS = 60_000
const OUTPUT_MAX_BYTES = 1024 * 1024

/**
 * Runs `parley doctor` in a process of its own: it reads the whole database and waits for the disk, which would hold up
 * the server.
 * @param env the options of the server
 * @throws when it gives no findings
 */
export function examineInProcess(env: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...env }, timeout: TIMEOUT_MS, maxBuffer: OUTPUT_MAX_BYTES }
    execFile(process.execPath, [COMMAND, 'doctor', '--json'], options, (error, stdout) => {
      try {
        // Findings that failed make its exit code 1.
        resolve(JSON.parse(stdout) as Finding[])
      } catch {
        reject(error ?? new Error('parley doctor printed no findings'))
      }
    })
  })
}
