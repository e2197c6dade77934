/** Decides which process gets a core first when several want one: see sched(7). */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

async function schedule(pid: number, policy: '--fifo' | '--idle', priority: number): Promise<void> {
  const options = ['--all-tasks', policy, '--pid', String(priority), String(pid)]
  await promisify(execFile)('chrt', options).catch((error: Error) => {
    console.warn(`process ${pid} waits for a core like all others: ${error.message}`)
  })
}

/** Gives all present threads of a process precedence over all other processes, if the system permits it. */
export const goFirst = (pid: number): Promise<void> => schedule(pid, '--fifo', 1)

/** Lets all present threads of a process run only when no other process wants the core. */
export const goLast = (pid: number): Promise<void> => schedule(pid, '--idle', 0)
