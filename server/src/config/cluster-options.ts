import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { absent, BadValue, literal, type Option, option, secret } from './option.ts'
import { integer, seconds } from './texts.ts'

/** A word in the names of subjects and entries of NATS. */
const WORD = /^[A-Za-z0-9_-]{1,60}$/

function natsUrls(text: string): readonly string[] {
  const urls = text.split(',').map((entry) => entry.trim())
  const isGood = (url: string) => URL.canParse(url) && /^(nats|tls):$/.test(new URL(url).protocol)
  if (!urls.every(isGood)) {
    throw new BadValue('URLs such as nats://user:password@host:4222, or tls:// for TLS, separated by commas')
  }
  return Object.freeze(urls)
}

function word(text: string): string {
  if (!WORD.test(text)) throw new BadValue('1 to 60 letters, digits, hyphens and underscores')
  return text
}

/** The name of the machine, without its domain and without what a name may not have. */
function machineName(): string {
  const [label = ''] = hostname().split('.')
  return label.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 60) || 'node'
}

/** A host and a port; an IPv6 address in brackets. */
function hostAndPort(text: string): string {
  const isGood = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):\d{1,5}$/.test(text) && URL.canParse(`https://${text}`)
  if (!isGood) throw new BadValue('a host and a port, such as 10.0.0.3:8443')
  return text
}

function labels(text: string): Readonly<Record<string, string>> {
  const entries = text.split(',').map((entry) => entry.trim().split('='))
  if (!entries.every((entry) => entry.length === 2 && entry.every((part) => WORD.test(part)))) {
    throw new BadValue('names and values such as region=eu,rack=b4')
  }
  return Object.freeze(Object.fromEntries(entries))
}

/** What makes a server a node of a cluster. */
export const clusterOptions = {
  natsUrls: secret(
    option<readonly string[] | null>(
      'PARLEY_NATS_URL',
      'URLs',
      absent('(one server, without a cluster)'),
      'NATS with JetStream, by which the nodes of a cluster know each other: nats://user:password@host:4222. Needs PARLEY_DATABASE_URL.',
      natsUrls,
    ),
  ),
  natsCa: option(
    'PARLEY_NATS_CA',
    'file',
    absent('(the authorities that Node trusts)'),
    'Certificates of the authority that signed the one of NATS, as PEM.',
    (text) => resolve(text),
  ) as Option<string | null>,
  natsPrefix: option(
    'PARLEY_NATS_PREFIX',
    'name',
    literal('parley', 'parley'),
    'First part of all names in NATS. Clusters that share one NATS need different ones.',
    word,
  ),
  natsReplicas: option(
    'PARLEY_NATS_REPLICAS',
    'number',
    literal('1', 1),
    'On how many servers of a NATS cluster the entries are kept: 3 for a NATS of three servers.',
    integer(1, 5),
  ),
  nodeName: option(
    'PARLEY_NODE_NAME',
    'name',
    { text: '(name of the machine)', value: machineName },
    'Name of this node, different from those of all others of its cluster.',
    word,
  ),
  nodeAddress: option(
    'PARLEY_NODE_ADDRESS',
    'host:port',
    absent('(none; needed in a cluster)'),
    'Where the other nodes reach PARLEY_PORT of this one, such as 10.0.0.3:8443. Clients do not need to reach it.',
    hostAndPort,
  ) as Option<string | null>,
  drainMs: option(
    'PARLEY_DRAIN_SECONDS',
    'seconds',
    literal('0', 0),
    'How long a server that gets SIGTERM lets its meetings go on, while it begins none. Those that are left are ended, and in a cluster go on at another node.',
    seconds(0, 86_400),
  ),
  spreadAudiencePercent: option(
    'PARLEY_SPREAD_AUDIENCE_AT',
    'percent',
    literal('70', 70),
    'How much of a node media take when other nodes of its region, if they are less busy, begin to serve new viewers of its rooms. At 100 they do so only when it has no power for more.',
    integer(0, 100),
  ),
  nodeLabels: option<Readonly<Record<string, string>>>(
    'PARLEY_NODE_LABELS',
    'name=value',
    literal('(none)', Object.freeze({})),
    'What tells this node from others, such as region=eu. A room begins on a node with the region of the one that its first client reached, where there is one.',
    labels,
  ),
}
