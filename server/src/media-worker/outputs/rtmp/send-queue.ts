import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

/** Tables of all TCP connections: proc_net_tcp(5), kernel documentation. IPv4 addresses may stand in either. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']

/**
 * Bytes that a connection's peer has not acknowledged yet, as the Linux kernel counts them (`tx_queue`).
 * @returns 0 where the system does not tell, or the connection is gone
 */
export async function unacknowledgedBytes(socket: Socket): Promise<number> {
  const { localPort, remotePort } = socket
  if (localPort === undefined || remotePort === undefined) return 0
  for (const file of TABLES) {
    const table = await readFile(file, 'latin1').catch(() => '')
    const bytes = sendQueue(table, localPort, remotePort)
    if (bytes !== null) return bytes
  }
  return 0
}

/**
 * The send queue of the connection between two ports.
 * @param table text of `/proc/net/tcp`
 * @returns bytes; null where the table has no such connection
 */
export function sendQueue(table: string, localPort: number, remotePort: number): number | null {
  const port = (number: number) => number.toString(16).toUpperCase().padStart(4, '0')
  const line = RegExp(
    `^\\s*\\d+: [0-9A-F]+:${port(localPort)} [0-9A-F]+:${port(remotePort)} [0-9A-F]{2} ([0-9A-F]+):`,
    'm',
  )
  const queue = line.exec(table)?.[1]
  return queue === undefined ? null : Number.parseInt(queue, 16)
}
