/**
 * File descriptors that the server needs besides those of its connections: database, logs, workers, files being sent.
 */
const BESIDES_CONNECTIONS = 512

/**
 * Number of file descriptors that this process may open. Node raises the soft limit to the hard one when it starts, so
 * only the operator can raise it further.
 * @returns Infinity when there is no limit, or the system does not report it
 */
export function fileDescriptorLimit(): number {
  // Without this, the report would look up the names of all peers, which is slow.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  const soft = report.userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}

/**
 * Number of connections that the file descriptors allow: at most `wanted`, and otherwise at least half of the
 * descriptors.
 */
export function connectionsWithin(wanted: number, fileDescriptors: number): number {
  return Math.min(wanted, Math.max(fileDescriptors - BESIDES_CONNECTIONS, Math.floor(fileDescriptors / 2)))
}

/** Number of file descriptors that a server with this many connections needs. */
export const fileDescriptorsFor = (connections: number): number => connections + BESIDES_CONNECTIONS
