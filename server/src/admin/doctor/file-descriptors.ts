import { connectionsWithin, fileDescriptorLimit, fileDescriptorsFor } from '../../limits/file-descriptors.ts'
import { type Examination, ok, type Patient, warning } from './finding.ts'

const SUBJECT = 'File descriptors'

/**
 * Examines whether this process may open as many files as the configuration permits connections. It must be started in
 * the same way as the server.
 */
export const fileDescriptors: Examination = {
  subject: SUBJECT,
  async examine({ config }: Patient) {
    const limit = fileDescriptorLimit()
    const { maxConnections } = config
    const connections = connectionsWithin(maxConnections, limit)
    if (connections === maxConnections) return [ok(SUBJECT, `enough for ${maxConnections} connections`)]
    const advice = `Raise the limit to ${fileDescriptorsFor(maxConnections)} (ulimit -n; LimitNOFILE= in a unit of systemd), or lower PARLEY_MAX_CONNECTIONS.`
    return [warning(SUBJECT, `${limit} in this shell, enough for ${connections} connections`, advice)]
  },
}
