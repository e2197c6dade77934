import { pino } from 'pino'
import type { SeenCluster, SeenNode } from '../../cluster/nats/seen-nodes.ts'
import type { Config } from '../../config.ts'
import { version } from '../version.ts'
import { type Examination, type Finding, failed, ok, type Patient, warning } from './finding.ts'
import { askReadiness, isServing } from './web-port.ts'

const SUBJECT = 'NATS'
/** Tokens and leases of nodes with other clocks are judged wrongly beyond this. */
const CLOCK_TOLERANCE_MS = 1000

/** Examines the cluster: NATS, and every node that is alive, its version, its clock and whether it can be reached. */
export const cluster: Examination = {
  subject: SUBJECT,
  async examine({ config }: Patient) {
    const { natsUrls, nodeAddress } = config
    if (natsUrls === null || nodeAddress === null) return []
    const places = natsUrls.map((url) => new URL(url).host).join(', ')
    const { watchCluster } = await import('../../cluster/nats/seen-nodes.ts')
    let seen: SeenCluster
    try {
      seen = await watchCluster({ ...config, natsUrls, nodeAddress }, pino({ level: 'silent' }))
    } catch (error) {
      return [failed(SUBJECT, (error as Error).message, 'See that NATS runs and can be reached from here.')]
    }
    const findings = [jetStream(places, seen), ...(await Promise.all(seen.nodes.map(ofNode)))]
    const isMissing = !seen.nodes.some(({ node }) => node.name === config.nodeName)
    if (isMissing && (await isServing(config))) findings.push(missing(config))
    return findings
  },
}

function jetStream(places: string, { nodes, jetStreamProblem }: SeenCluster): Finding {
  if (jetStreamProblem !== null) {
    return failed(
      SUBJECT,
      `${places}: no JetStream (${jetStreamProblem})`,
      'Start nats-server with JetStream (-js).',
    )
  }
  const alive =
    { 0: 'no node is alive', 1: 'one node is alive' }[nodes.length] ?? `${nodes.length} nodes are alive`
  return ok(SUBJECT, `${places}, with JetStream; ${alive}`)
}

const missing = ({ nodeName }: Config): Finding =>
  warning(
    `Node ${nodeName}`,
    'runs here, but does not tell the others of itself',
    'Was it started with the same PARLEY_NATS_URL, PARLEY_NATS_PREFIX and PARLEY_NODE_NAME?',
  )

async function ofNode({ node, aheadMs }: SeenNode): Promise<Finding> {
  const subject = `Node ${node.name}`
  const detail = `${node.version} at ${node.address}, ${node.load.sessions} sessions${node.isDraining ? ', takes no new ones' : ''}`
  const { hostname, port } = new URL(`https://${node.address}`)
  const answer = await askReadiness({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443) })
  if (typeof answer === 'string') {
    const advice =
      'Other nodes reach it at PARLEY_NODE_ADDRESS: see that this leads to it, and the firewalls between.'
    return failed(
      subject,
      `${detail}: ${answer === 'nobody' ? 'nobody' : 'another program'} answers there`,
      advice,
    )
  }
  if (Math.abs(aheadMs) > CLOCK_TOLERANCE_MS) {
    const way = aheadMs > 0 ? 'ahead of' : 'behind'
    const seconds = (Math.abs(aheadMs) / 1000).toFixed(1)
    return failed(
      subject,
      `${detail}: its clock is ${seconds} s ${way} this one`,
      'Switch NTP on, on all nodes.',
    )
  }
  if (answer.status !== 200)
    return warning(subject, `${detail}: is not ready`, 'Ask its /readyz for the reasons.')
  if (node.version === version) return ok(subject, detail)
  return warning(subject, `${detail}: here it is ${version}`, 'Bring all nodes to one version.')
}
