import path from 'node:path'
import type { ServerProcess } from '../../acceptance/testing/server-process.ts'
import { Helper } from '../helper.ts'

/**
 * Starts a process of simulated browsers that trusts the certificate of a server.
 * @param program a file of this folder
 * @returns the process, which the caller closes, and the URL of the socket where they enter
 */
export function openClients(
  program: string,
  { dataDir, access }: ServerProcess,
): { helper: Helper; url: string } {
  const helper = new Helper(path.join(import.meta.dirname, program), {
    NODE_EXTRA_CA_CERTS: path.join(dataDir, 'tls/ca.pem'),
  })
  return { helper, url: access.baseUrl.replace('https:', 'wss:') }
}
