import { literal, option } from './option.ts'
import { addresses, flag, integer } from './texts.ts'

/** Connections to the server, and those that it opens itself. */
export const networkOptions = {
  maxConnections: option(
    'PARLEY_MAX_CONNECTIONS',
    'number',
    literal('10000', 10_000),
    'TCP connections at once. One in ten is kept for clients that have not signed in yet; each needs a file descriptor.',
    integer(10, 1_000_000),
  ),
  connectionsPerAddress: option(
    'PARLEY_CONNECTIONS_PER_ADDRESS',
    'number',
    literal('1000', 1000),
    'The same for one IPv4 address, or one /64 network of IPv6; 0 for no limit. Trusted proxies have none.',
    integer(0, 1_000_000),
  ),
  connectionsPerToken: option(
    'PARLEY_CONNECTIONS_PER_TOKEN',
    'number',
    literal('250', 250),
    'WebSockets that one token may have at once from one address; 0 for no limit.',
    integer(0, 1_000_000),
  ),
  connectionsPerProject: option(
    'PARLEY_CONNECTIONS_PER_PROJECT',
    'number',
    literal('5000', 5000),
    'WebSockets that the clients of one project may have at once; 0 for no limit.',
    integer(0, 1_000_000),
  ),
  allowPrivateTargets: option(
    'PARLEY_ALLOW_PRIVATE_TARGETS',
    '1 or 0',
    literal('0', false),
    "Lets URLs that the server opens itself lead to private and local addresses, and to the server's own.",
    flag,
  ),
  deniedTargets: option<readonly string[]>(
    'PARLEY_DENIED_TARGETS',
    'addresses',
    literal('(none)', Object.freeze([])),
    'Addresses and networks that URLs which the server opens itself may never lead to, whatever else is allowed.',
    addresses,
  ),
}
