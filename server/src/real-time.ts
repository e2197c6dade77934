import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

/** Lowest real-time priority. It comes before all normal priorities: sched(7). */
const PRIORITY = 1

/**
 * Lets the main thread of this process, which answers requests, preempt media workers as soon as it has work. Otherwise
 * Linux notices only at a timer tick, up to 4 ms later, that a computing thread should give way, even if that thread
 * has a high nice value. Threads and processes that start later do not inherit the priority. With a single core, a
 * flood of requests would leave no time for media, so it is done only with two or more cores, as FreeSWITCH does
 * (`set_auto_priority` in its switch_core.c).
 * @returns the reason why it was not done; undefined when it was done
 */
export async function takeRealTimePriority(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only done on Linux'
  if (availableParallelism() < 2) return 'needs two cores'
  const options = ['--rr', '--reset-on-fork', '--pid', String(PRIORITY), String(process.pid)]
  try {
    await promisify(execFile)('chrt', options)
    return undefined
  } catch (error) {
    const { code, stderr } = error as { code?: string | number; stderr?: string }
    if (code === 'ENOENT') return 'needs the program chrt, of util-linux'
    return stderr?.trim() || `chrt ended with ${code}`
  }
}
