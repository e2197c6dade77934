import { readdir, readFile, readlink } from 'node:fs/promises'
import type { PortRange } from './config/media-options.ts'

/** A socket of this machine, from the tables of proc_net(5). */
interface BoundSocket {
  port: number
  /** User id of its owner. */
  uid: number
  inode: string
}

const UDP_TABLES = ['/proc/net/udp', '/proc/net/udp6']
const TCP_TABLES = ['/proc/net/tcp', '/proc/net/tcp6']
/** State of a TCP socket that accepts connections. */
const LISTENING = '0A'
/** Number of holders that are named. */
const NAMED = 3

/**
 * Names the processes that hold UDP ports of the ranges, such as `python3 (process 4711)`. Processes of other users
 * cannot be looked into, so only the user is named. Empty where the system does not tell.
 */
export const udpHolders = (ranges: readonly PortRange[]): Promise<string> => holders(UDP_TABLES, ranges)

/** Names the processes that listen on a TCP port, as {@link udpHolders} does. */
export const tcpListeners = (port: number): Promise<string> =>
  holders(TCP_TABLES, [{ first: port, last: port }], LISTENING)

async function holders(
  files: readonly string[],
  ranges: readonly PortRange[],
  state?: string,
): Promise<string> {
  const tables = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  const sockets = tables
    .flatMap((table) => parseSocketTable(table, state))
    .filter(({ port }) => ranges.some(({ first, last }) => port >= first && port <= last))
  if (sockets.length === 0) return ''
  const names = await processesWith(new Set(sockets.map(({ inode }) => inode)))
  const found = new Set(
    sockets.map(({ inode, uid }) => names.get(inode) ?? `a process of the user with the id ${uid}`),
  )
  const [...named] = [...found].slice(0, NAMED)
  if (found.size > NAMED) named.push(`${found.size - NAMED} more`)
  return named.join(', ')
}

/**
 * @param table text of a file such as `/proc/net/udp`
 * @param state only sockets in this state, as the table has it; absent for all
 */
export function parseSocketTable(table: string, state?: string): BoundSocket[] {
  const rows = table.split('\n').slice(1)
  return rows.flatMap((row) => {
    const [, local = '', , is, , , , uid, , inode = ''] = row.trim().split(/\s+/)
    const port = Number.parseInt(local.split(':').at(-1) ?? '', 16)
    if (Number.isNaN(port) || inode === '' || (state !== undefined && is !== state)) return []
    return [{ port, uid: Number(uid), inode }]
  })
}

/** @returns the process of each socket that was found, by the socket's inode */
async function processesWith(inodes: ReadonlySet<string>): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    // Descriptors of other users' processes cannot be read, and a process may end meanwhile.
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
    const targets = await Promise.all(
      descriptors.map((descriptor) => readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '')),
    )
    for (const target of targets) {
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
      if (inode === undefined || !inodes.has(inode)) continue
      const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
      found.set(inode, `${name.trim() || 'a process'} (process ${pid})`)
    }
    if (found.size === inodes.size) break
  }
  return found
}
