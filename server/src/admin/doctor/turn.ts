import { isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { readTurnUrl } from '../../config/turn-options.ts'
import type { Config } from '../../config.ts'
import { createIceServers, type IceServer } from '../../turn/ice-servers.ts'
import { type Examination, type Finding, failed, ok, type Patient, warning } from './finding.ts'
import { TurnAllocation, TurnRefusal, TurnServesStrangers } from './turn-allocation.ts'
import { connectToTurn, type TurnConnection } from './turn-connection.ts'

/** Examines the TURN server at each of its addresses: it gives out a relayed address, and may send to this server. */
export const turn: Examination = {
  subject: 'TURN',
  async examine({ config, clock }: Patient) {
    const [server] = createIceServers(config, clock)('doctor')
    if (!server)
      return [ok('TURN', 'none is configured: media goes straight between browsers and this server')]
    return Promise.all(server.urls.map((url) => atUrl(url, server, mediaAddresses(config))))
  },
}

/** IPv4 addresses that browsers are told to send media to. */
function mediaAddresses({ announcedIp }: Config): string[] {
  if (announcedIp !== null) return isIPv4(announcedIp) ? [announcedIp] : []
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
}

/** Answer to a permission for a peer that the configuration of the TURN server denies (RFC 8656, section 9.2). */
const FORBIDDEN = 403
const LEADS_THERE = 'See that it runs, that its name leads to it, and that no firewall is between.'

async function atUrl(url: string, credentials: IceServer, peers: readonly string[]): Promise<Finding> {
  const subject = `TURN ${url}`
  const address = readTurnUrl(url)
  if (!address) return failed(subject, 'is no address of a TURN server', 'Correct PARLEY_TURN_URLS.')
  let connection: TurnConnection
  try {
    connection = await connectToTurn(address)
  } catch (error) {
    return failed(subject, wordsOf(error), LEADS_THERE)
  }
  try {
    const { distrust } = connection
    const finding = await allocates(subject, connection, credentials, peers)
    if (distrust === null || finding.status === 'failed') return finding
    const advice = 'Give it the whole chain of a certificate that browsers trust, for the name in the URL.'
    return warning(
      subject,
      `${finding.detail}, but browsers do not trust its certificate: ${distrust}`,
      advice,
    )
  } catch (error) {
    if (error instanceof TurnRefusal) return refused(subject, error)
    if (!(error instanceof TurnServesStrangers)) return failed(subject, wordsOf(error), LEADS_THERE)
    return failed(
      subject,
      'serves everybody, without credentials',
      'Set use-auth-secret in its configuration.',
    )
  } finally {
    connection.close()
  }
}

async function allocates(
  subject: string,
  connection: TurnConnection,
  credentials: IceServer,
  peers: readonly string[],
): Promise<Finding> {
  const startedAt = performance.now()
  const allocation = await TurnAllocation.make(connection, credentials)
  const tookMs = Math.round(performance.now() - startedAt)
  const forbidden: string[] = []
  for (const peer of peers) {
    if (!(await isPermitted(allocation, peer))) forbidden.push(peer)
  }
  await allocation.release()
  if (forbidden.length > 0 && forbidden.length === peers.length) {
    const advice = 'Allow it: allowed-peer-ip in the configuration of coturn goes before denied-peer-ip.'
    return failed(subject, `may not send to this server (${forbidden.join(', ')})`, advice)
  }
  return ok(subject, `relays to this server; an allocation took ${tookMs} ms`)
}

async function isPermitted(allocation: TurnAllocation, peer: string): Promise<boolean> {
  try {
    await allocation.permit(peer)
    return true
  } catch (error) {
    if (error instanceof TurnRefusal && error.code === FORBIDDEN) return false
    throw error
  }
}

function refused(subject: string, { code, message }: TurnRefusal): Finding {
  const detail = `refuses: ${message}`
  switch (code) {
    case 401:
      return failed(
        subject,
        detail,
        'PARLEY_TURN_SECRET must be its static-auth-secret, use-auth-secret must be on, and both clocks must be right.',
      )
    case 486:
      return failed(subject, detail, 'Its quota is used up: raise user-quota or total-quota.')
    case 508:
      return failed(subject, detail, 'It has no ports left: widen min-port and max-port.')
    default:
      return failed(subject, detail, 'See the log of the TURN server.')
  }
}

function wordsOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  const words: Record<string, string> = {
    ENOTFOUND: 'its name is unknown',
    EAI_AGAIN: 'its name cannot be looked up',
    ECONNREFUSED: 'nothing listens there',
    EHOSTUNREACH: 'cannot be reached',
    ENETUNREACH: 'cannot be reached',
  }
  return words[code ?? ''] ?? message
}
