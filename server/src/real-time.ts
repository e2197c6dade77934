import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

/** Lowest of the real-time priorities, which go before all others: sched(7). */
const PRIORITY = 1

/**
 * Lets the main thread of this process, which answers requests, take a core from media workers as soon as it has
 * something to do. Without that, Linux notices only at a timer tick, up to 4 ms later, that a computing thread should
 * give way, however nice that thread is. Threads and processes started from here on do not inherit it. Where there is one
 * core, a flood of requests would leave none for media: so it is done with two or more, as FreeSWITCH does
 * (`set_auto_priority` in its switch_core.c).
 * @returns why the system did not do it; undefined when it did
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
