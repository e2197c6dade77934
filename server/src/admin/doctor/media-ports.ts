import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Config } from '../../config.ts'
import { type Examination, type Finding, failed, ok, type Patient, warning } from './finding.ts'
import { askStunEcho, type StunEcho, startStunEcho } from './stun-echo.ts'
import { isServing } from './web-port.ts'

/** Maximum number of ports that are tried. */
const MOST_TRIED = 500

/** Examines the UDP ports: whether they are free for media, and reachable at the addresses that browsers are told. */
export const mediaPorts: Examination = {
  subject: 'UDP ports',
  async examine({ config }: Patient) {
    const { first, last } = config.rtcPorts
    const subject = `UDP ports ${first === last ? first : `${first}-${last}`}`
    const findings: Finding[] = []
    let echo: StunEcho | null = null
    // A running server may need any of these ports at any moment.
    if (await isServing(config)) findings.push(ok(subject, 'left alone, since Parley runs'))
    else {
      const tried = await tryPorts(first, Math.min(last, first + MOST_TRIED - 1))
      findings.push(availability(subject, config.mediaWorkers * (await portsOfWorker(config)), tried, config))
      echo = tried.echo
    }
    // With another port, at least the addresses can be tested.
    const answering = echo ?? (await startStunEcho(0, 4))
    try {
      findings.push(...(await reachability(config, answering)))
    } finally {
      await answering.close()
    }
    return findings
  },
}

interface TriedPorts {
  free: number
  tried: number
  /** Answers at one of the free ports. */
  echo: StunEcho | null
}

/** Binds each port for a moment. The last free one stays bound, to answer requests. */
async function tryPorts(from: number, to: number): Promise<TriedPorts> {
  let free = 0
  let echo: StunEcho | null = null
  for (let port = from; port <= to; port++) {
    try {
      const bound = await startStunEcho(port, 4)
      free++
      await echo?.close()
      echo = bound
    } catch {
      // The port is taken, so it is not counted as free.
    }
  }
  return { free, tried: to - from + 1, echo }
}

/** libdatachannel needs a second port, for browsers that hide their addresses. */
async function portsOfWorker({ rtcTransport }: Config): Promise<1 | 2> {
  const { chooseTransport } = await import('../../media-worker/transport/transport-choice.ts')
  return (await chooseTransport(rtcTransport)).transport === 'openssl' ? 1 : 2
}

function availability(
  subject: string,
  wanted: number,
  { free, tried }: TriedPorts,
  { mediaWorkers }: Config,
): Finding {
  const detail = free === tried ? 'all free' : `${tried - free} of ${tried} in use`
  const advice = `Each of the ${mediaWorkers} media workers needs`
  if (free < mediaWorkers)
    return failed(subject, detail, `${advice} one at least: set PARLEY_RTC_PORTS to others.`)
  if (free >= wanted) return ok(subject, detail)
  return warning(subject, detail, `${advice} two, or viewers without a camera often fail to connect.`)
}

async function reachability(config: Config, echo: StunEcho): Promise<Finding[]> {
  const own = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
  const findings = [
    await reach('127.0.0.1', echo, (detail) =>
      failed('UDP loopback', detail, 'A firewall of this machine drops its own packets.'),
    ),
  ]
  for (const address of own) {
    findings.push(
      await reach(address, echo, (detail) =>
        warning(`UDP ${address}`, detail, 'See the firewall of this machine: it must let the ports in.'),
      ),
    )
  }
  const { announcedIp, rtcPorts } = config
  if (announcedIp !== null && !own.includes(announcedIp)) {
    const isMediaPort = echo.port >= rtcPorts.first && echo.port <= rtcPorts.last
    findings.push(await reachAnnounced(announcedIp, echo, isMediaPort ? FORWARD : ANOTHER_PORT))
  }
  return findings
}

const FORWARD =
  'Many routers do not lead their own address back inside. If yours does, forward PARLEY_RTC_PORTS to this machine.'
const ANOTHER_PORT =
  'This port is none of PARLEY_RTC_PORTS, which Parley has. To try one of those, stop Parley and do this again.'

async function reachAnnounced(address: string, echo: StunEcho, advice: string): Promise<Finding> {
  const unreachable = (detail: string) => warning(`UDP ${address}`, detail, advice)
  if (!isIPv6(address)) return reach(address, echo, unreachable)
  const six = await startStunEcho(0, 6).catch(() => null)
  if (!six) return unreachable('this machine has no IPv6')
  try {
    return await reach(address, six, unreachable)
  } finally {
    await six.close()
  }
}

async function reach(
  address: string,
  { port }: StunEcho,
  otherwise: (detail: string) => Finding,
): Promise<Finding> {
  const tookMs = await askStunEcho(address, port)
  if (tookMs === null) return otherwise(`no answer from ${address}, port ${port}`)
  const subject = address === '127.0.0.1' ? 'UDP loopback' : `UDP ${address}`
  return ok(subject, `answers at port ${port} in ${tookMs.toFixed(1)} ms`)
}
