/** File descriptors that the server needs besides those of its connections: database, logs, workers, files that are sent. */
const BESIDES_CONNECTIONS = 512

/**
 * How many file descriptors this process may have open. Node raises the soft limit to the hard one when it starts, so
 * only the operator can raise it further.
 * @returns Infinity where there is no limit, or the system does not say
 */
export function fileDescriptorLimit(): number {
  // Looking up the names of all peers takes its time.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  const soft = report.userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}

/** How many connections the file descriptors are enough for: at most as many as wanted, at least a few. */
export function connectionsWithin(wanted: number, fileDescriptors: number): number {
  return Math.min(wanted, Math.max(fileDescriptors - BESIDES_CONNECTIONS, Math.floor(fileDescriptors / 2)))
}

/** How many file descriptors a server with so many connections needs. */
export const fileDescriptorsFor = (connections: number): number => connections + BESIDES_CONNECTIONS
