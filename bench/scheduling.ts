/** Which process waits for a core where several want one: see sched(7). */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

async function schedule(pid: number, policy: '--fifo' | '--idle', priority: number): Promise<void> {
  const options = ['--all-tasks', policy, '--pid', String(priority), String(pid)]
  await promisify(execFile)('chrt', options).catch((error: Error) => {
    console.warn(`process ${pid} waits for a core like all others: ${error.message}`)
  })
}

/** Lets all threads that a process has now take a core from whoever has one, where the system lets us. */
export const goFirst = (pid: number): Promise<void> => schedule(pid, '--fifo', 1)

/** Leaves all threads that a process has now what others leave over. */
export const goLast = (pid: number): Promise<void> => schedule(pid, '--idle', 0)
