import { readdir, readFile } from 'node:fs/promises'
import { eventually } from './eventually.ts'

/** A process of this machine. */
export interface ProcessEntry {
  pid: number
  parentPid: number
  command: string
}

async function readProcess(pid: number): Promise<ProcessEntry | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim()
    // The second field is the name in parentheses, which may contain any character.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? null : { pid, parentPid: Number(parent), command }
  } catch {
    return null
  }
}

/** All descendants of a process, without zombies. */
export async function descendants(pid: number): Promise<ProcessEntry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const all = (await Promise.all(pids.map(readProcess))).filter((entry) => entry !== null)
  const found: ProcessEntry[] = []
  const roots = [pid]
  for (let root = roots.shift(); root !== undefined; root = roots.shift()) {
    const children = all.filter(({ parentPid }) => parentPid === root)
    found.push(...children)
    roots.push(...children.map((child) => child.pid))
  }
  return found
}

/** Whether the process runs. A zombie does not count. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await readProcess(pid)) !== null
}

/** Waits until none of the processes runs any more. */
export async function gone(pids: readonly number[], timeoutMs = 10_000): Promise<void> {
  await eventually(
    `end of the processes ${pids.join(', ')}`,
    async () => {
      const running = await Promise.all(pids.map(isRunning))
      return pids.filter((_, i) => running[i])
    },
    (left) => left.length === 0,
    { timeoutMs },
  )
}

/**
 * Sends SIGKILL to processes that this test run started.
 */
export function killProcesses(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself in the meantime.
    }
  }
}
