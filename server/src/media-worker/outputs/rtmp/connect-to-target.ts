import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ConnectionTarget } from '../../../media/channel.ts'

/** Begins a connection to the judged address of a target. With TLS, the certificate must be for the target's host. */
export function connectToTarget({ host, address, port, tls }: ConnectionTarget): Socket {
  if (!tls) return connectTcp({ host: address, port })
  // A certificate for an IP address is checked against that; only names are announced (RFC 6066, section 3).
  const servername = isIP(host) === 0 ? { servername: host } : {}
  return connectTls({ host: address, port, ...servername })
}
