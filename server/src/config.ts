import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { OperatorError } from './errors/operator-error.ts'
import { OVERLOAD_STEPS, type OverloadStep } from './resources/overload-steps.ts'
import { ROLES, type Role } from './resources/roles.ts'
import { spaceOfHost } from './space-of-host.ts'

/** An inclusive range of UDP ports. One port has `first === last`. */
export interface PortRange {
  readonly first: number
  readonly last: number
}

/**
 * What carries the connections to browsers. `openssl`: DTLS and SRTP by the OpenSSL inside Node, an ICE agent of Parley's own,
 * and UDP by system calls.
 */
export type RtcTransport = 'libdatachannel' | 'openssl'

/** Invalid text of one option. The message completes "PARLEY_X must be …". */
class BadValue extends Error {}

/** One option of the server, as the operator's reference shows it. */
export interface Option<T> {
  /** Name of the environment variable. */
  readonly env: string
  /** Allowed values, in words. */
  readonly type: string
  /** Value when the variable is absent or empty. Text in parentheses describes a default that is not a literal. */
  readonly default: string
  /** One line of documentation for the operator. */
  readonly doc: string
  /** The value is never shown. */
  readonly secret: boolean
  /** @throws BadValue */
  readonly parse: (text: string) => T
  readonly fallback: () => T
}

function option<T>(
  env: string,
  type: string,
  fallback: { text: string; value: () => T },
  doc: string,
  parse: (text: string) => T,
): Option<T> {
  return { env, type, default: fallback.text, doc, secret: false, parse, fallback: fallback.value }
}

const secret = <T>(open: Option<T>): Option<T> => ({ ...open, secret: true })

const literal = <T>(text: string, value: T) => ({ text, value: () => value })
const absent = (text: string) => ({ text, value: () => null })

function oneOf<const T extends string>(...allowed: T[]) {
  return (text: string): T => {
    const found = allowed.find((value) => value === text)
    if (found === undefined) throw new BadValue(`one of ${allowed.join(', ')}`)
    return found
  }
}

function integer(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text)
    if (!/^\d{1,15}$/.test(text) || value < min || value > max) {
      throw new BadValue(`a whole number from ${min} to ${max}`)
    }
    return value
  }
}

const seconds = (min: number, max: number) => (text: string) => integer(min, max)(text) * 1000

const megabytes = (min: number, max: number) => (text: string) => integer(min, max)(text) * 1e6

function price(text: string): number {
  if (!/^\d{1,6}(\.\d{1,9})?$/.test(text)) throw new BadValue('a number of dollars such as 0.004')
  return Number(text)
}

function flag(text: string): boolean {
  if (['1', 'true', 'yes', 'on'].includes(text)) return true
  if (['0', 'false', 'no', 'off'].includes(text)) return false
  throw new BadValue('1 or 0')
}

function host(text: string): string {
  const isName = /^(?=.{1,253}$)([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.?)+$/.test(text)
  if (isIP(text) === 0 && !isName) throw new BadValue('an IP address or a host name')
  return text
}

function publicOrigin(text: string): string {
  const complaint = new BadValue('an https:// URL without a path, such as https://meet.example.org')
  if (!URL.canParse(text)) throw complaint
  const url = new URL(text)
  const bare = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  if (url.protocol !== 'https:' || !bare) throw complaint
  return url.origin
}

function emailAddress(text: string): string {
  if (!/^[^\s@<>,;:"]{1,64}@[a-z0-9.-]{1,253}$/i.test(text)) throw new BadValue('an email address')
  return text
}

/** Directory of the authority that most servers on the internet use. */
export const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'

function directoryUrl(text: string): string {
  const isUsable = URL.canParse(text) && new URL(text).protocol === 'https:'
  if (!isUsable) throw new BadValue(`an https:// URL such as ${LETS_ENCRYPT}`)
  return text
}

/**
 * Why the authority cannot have a certificate for the server; undefined when it can. A public authority verifies names
 * by the public DNS. A private one may know others, but none for an address.
 */
function noAcmeBecause({ acmeEmail, acmeDirectoryUrl, publicUrl, tlsCert }: Config): string | undefined {
  if (acmeEmail === null) return undefined
  if (tlsCert !== null) return 'PARLEY_ACME_EMAIL and PARLEY_TLS_CERT exclude each other: remove one of them'
  const example = 'the name that clients use, such as https://meet.example.org'
  if (publicUrl === null) return `PARLEY_ACME_EMAIL needs PARLEY_PUBLIC_URL: ${example}`
  const host = new URL(publicUrl).hostname
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) {
    return `PARLEY_ACME_EMAIL needs a name in PARLEY_PUBLIC_URL, because there are no certificates for the address ${host}: set ${example}`
  }
  const isLocal = !host.includes('.') || /\.(local|localhost|internal|lan|test|home\.arpa)$/.test(host)
  if (isLocal && acmeDirectoryUrl === LETS_ENCRYPT) {
    return `PARLEY_ACME_EMAIL needs a public name in PARLEY_PUBLIC_URL, because no public authority knows ${host}: set ${example}, or a private authority in PARLEY_ACME_DIRECTORY_URL`
  }
  return undefined
}

/**
 * Returns the domain in lower case and without a final dot, for comparisons. The domain leaves room for a label of 63
 * characters before it. It has at least two labels, because no client accepts a wildcard certificate for all names
 * below a single label.
 */
function serviceDomain(text: string): string {
  const domain = text.toLowerCase().replace(/\.$/, '')
  const isName = /^(?=.{1,189}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/
  if (isIP(domain) !== 0 || !isName.test(domain)) throw new BadValue('a domain such as meet.example.org')
  return domain
}

function addresses(text: string): readonly string[] {
  const list = text.split(',').map((entry) => entry.trim())
  for (const entry of list) {
    const [address = '', bits, ...rest] = entry.split('/')
    const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
    const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest)
    if (longest < 0 || !fits || rest.length > 0) {
      throw new BadValue(`IP addresses or networks (10.0.0.0/8), separated by commas; "${entry}" is neither`)
    }
  }
  return Object.freeze(list)
}

function ports(text: string): PortRange {
  const [, from, to] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  const first = Number(from)
  const last = Number(to ?? from)
  if (from === undefined || first < 1 || last > 65535 || first > last) {
    throw new BadValue('one port or a range of ports from 1 to 65535, such as 40000-40099')
  }
  return Object.freeze({ first, last })
}

function address(text: string): string {
  if (isIP(text) === 0) throw new BadValue('an IP address')
  return text
}

function projectId(text: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(text)) {
    throw new BadValue('1 to 100 letters, digits, hyphens and underscores (a UUID is usual)')
  }
  return text
}

function databaseUrl(text: string): string {
  const isPostgres = URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)
  if (!isPostgres) throw new BadValue('a URL such as postgres://user:password@host:5432/database')
  return text
}

/** A rule for people of the OpenID provider: whose claim has this value has the role. */
export interface OpenIdRule {
  /** `email` may have `*@` before a domain. */
  readonly claim: string
  readonly value: string
  readonly role: Role
}

function oidcRules(text: string): readonly OpenIdRule[] {
  const rules = text.split(',').map((entry): OpenIdRule => {
    const [, who = '', named] = /^(.+)=([a-z]+)$/.exec(entry.trim()) ?? []
    const role = ROLES.find((one) => one === named)
    const [, claim, value] = /^([A-Za-z0-9_.:/-]+):(.+)$/.exec(who) ?? []
    const isEmail = /^[^\s@:]+@[^\s@:]+$/.test(who)
    if (!role || (!isEmail && claim === undefined)) {
      const example = '"ada@example.org=owner, *@example.org=viewer, groups:operators=operator"'
      throw new BadValue(`rules such as ${example}, separated by commas; "${entry.trim()}" is none`)
    }
    return isEmail ? { claim: 'email', value: who, role } : { claim: claim ?? '', value: value ?? '', role }
  })
  return Object.freeze(rules)
}

/** Plain HTTP is accepted only where it does not leave this machine. */
function oidcIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return text
  throw new BadValue('an https:// URL such as https://login.example.org')
}

const line = (text: string) => text

function apiToken(text: string): string {
  if (!/^[\x21-\x7e]{8,500}$/.test(text))
    throw new BadValue('8 to 500 printable ASCII characters without spaces')
  return text
}

/**
 * Every option of the server. The key is its name in {@link Config}. The operator's reference uses this order and these
 * texts.
 */
export const options = {
  host: option('PARLEY_HOST', 'address', literal('0.0.0.0', '0.0.0.0'), 'Address to listen on.', host),
  port: option(
    'PARLEY_PORT',
    'port',
    literal('8443', 8443),
    'TCP port for HTTPS and secure WebSocket; 0 lets the system pick a free one.',
    integer(0, 65535),
  ),
  httpPort: option<number | null>(
    'PARLEY_HTTP_PORT',
    'port or off',
    absent('(one below PARLEY_PORT; 80 beside 443)'),
    "TCP port for plain HTTP: how to trust the server's own certificate, otherwise redirects to HTTPS; 0 or off for none.",
    (text) => (text === 'off' ? 0 : integer(0, 65535)(text)),
  ),
  publicUrl: option(
    'PARLEY_PUBLIC_URL',
    'URL',
    absent('(the host name of each request)'),
    'Where clients reach this server, as they spell it; goes into tokens and links.',
    publicOrigin,
  ) as Option<string | null>,
  serviceDomain: option(
    'PARLEY_SERVICE_DOMAIN',
    'domain',
    absent('(no spaces)'),
    'Domain below which each space is a host of its own: the space acme of meet.example.org is at acme.meet.example.org.',
    serviceDomain,
  ) as Option<string | null>,
  dataDir: option(
    'PARLEY_DATA_DIR',
    'folder',
    { text: './data', value: () => resolve('data') },
    'Folder of everything that is kept: database, certificates, recordings.',
    (text) => resolve(text),
  ),
  backupDir: option(
    'PARLEY_BACKUP_DIR',
    'folder',
    absent('(backups in the data folder)'),
    'Where backups go that are started on the dashboard: best on another disk.',
    (text) => resolve(text),
  ) as Option<string | null>,
  minFreeBytes: option(
    'PARLEY_MIN_FREE_MB',
    'megabytes',
    literal('500', 500e6),
    'With less free in the data folder no recording is started, and with half of it those that run are finished.',
    megabytes(0, 1_000_000),
  ),
  databaseUrl: secret(
    option(
      'PARLEY_DATABASE_URL',
      'URL',
      absent('(SQLite in the data folder)'),
      'PostgreSQL to use instead of the embedded database: postgres://user:password@host:5432/database.',
      databaseUrl,
    ) as Option<string | null>,
  ),
  projectId: option(
    'PARLEY_PROJECT_ID',
    'text',
    absent('(generated at the first start)'),
    'Id of the first project; user name of the Basic authentication.',
    projectId,
  ) as Option<string | null>,
  apiToken: secret(
    option(
      'PARLEY_API_TOKEN',
      'secret',
      absent('(generated at the first start)'),
      'API token of the first project with every scope; only its hash is stored.',
      apiToken,
    ) as Option<string | null>,
  ),
  tlsCert: option(
    'PARLEY_TLS_CERT',
    'file',
    absent('(made by the server)'),
    'Certificate chain in PEM; needs PARLEY_TLS_KEY.',
    (text) => resolve(text),
  ) as Option<string | null>,
  tlsKey: option(
    'PARLEY_TLS_KEY',
    'file',
    absent('(made by the server)'),
    'Private key of PARLEY_TLS_CERT in PEM.',
    (text) => resolve(text),
  ) as Option<string | null>,
  acmeEmail: option(
    'PARLEY_ACME_EMAIL',
    'email address',
    absent('(no ACME)'),
    'Gets certificates for the host of PARLEY_PUBLIC_URL and for spaces by ACME; the authority writes here. Setting it accepts the terms of the authority.',
    emailAddress,
  ) as Option<string | null>,
  acmeDirectoryUrl: option(
    'PARLEY_ACME_DIRECTORY_URL',
    'URL',
    literal(LETS_ENCRYPT, LETS_ENCRYPT),
    'Directory of the ACME server.',
    directoryUrl,
  ),
  acmeCa: option(
    'PARLEY_ACME_CA',
    'file',
    absent('(public authorities)'),
    "Authority of the ACME server's own certificate in PEM, for a private ACME server.",
    (text) => resolve(text),
  ) as Option<string | null>,
  trustedProxies: option<readonly string[]>(
    'PARLEY_TRUSTED_PROXIES',
    'addresses',
    literal('(none)', Object.freeze([])),
    'Proxies that may end TLS in front of this server and whose X-Forwarded-* headers count.',
    addresses,
  ),
  rtcPorts: option<PortRange>(
    'PARLEY_RTC_PORTS',
    'port or range',
    literal('40000-40099', Object.freeze({ first: 40000, last: 40099 })),
    'UDP ports for media. Each media worker needs one, and a second one for browsers that hide their addresses.',
    ports,
  ),
  announcedIp: option(
    'PARLEY_ANNOUNCED_IP',
    'address',
    absent("(the machine's own addresses)"),
    'Address that browsers send media to, where the machine itself does not know it (behind NAT).',
    address,
  ) as Option<string | null>,
  rtcTransport: option<RtcTransport>(
    'PARLEY_RTC_TRANSPORT',
    'libdatachannel or openssl',
    literal('libdatachannel', 'libdatachannel'),
    'Library of media connections. openssl (Linux only, on trial) sends packets in groups, for less CPU; where it cannot serve, libdatachannel does.',
    oneOf('libdatachannel', 'openssl'),
  ),
  mediaWorkers: option(
    'PARLEY_MEDIA_WORKERS',
    'number',
    { text: '(number of cores)', value: () => Math.min(availableParallelism(), 64) },
    'Processes that carry media. Each carries several rooms.',
    integer(1, 64),
  ),
  realTime: option(
    'PARLEY_REAL_TIME',
    '1 or 0',
    literal('1', true),
    'Lets requests go before media, by real-time priority where the system permits it.',
    flag,
  ),
  overloadStep: option(
    'PARLEY_OVERLOAD_STEP',
    'step',
    literal('no-audience', 'no-audience' as OverloadStep),
    `The last step that media workers take while the machine has too much to do: ${OVERLOAD_STEPS.join(', ')}.`,
    oneOf(...OVERLOAD_STEPS),
  ),
  logLevel: option(
    'PARLEY_LOG_LEVEL',
    'level',
    literal('info', 'info'),
    'Least severe message that is logged: fatal, error, warn, info, debug, trace or silent.',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
  fps: option<20 | 30>(
    'PARLEY_FPS',
    'number',
    literal('20', 20),
    'Frames per second of new rooms: 20 or 30.',
    (text) => (oneOf('20', '30')(text) === '20' ? 20 : 30),
  ),
  sessionGraceMs: option(
    'PARLEY_SESSION_GRACE_SECONDS',
    'seconds',
    literal('10', 10_000),
    'How long a session goes on after the last member has left.',
    seconds(0, 86_400),
  ),
  reconnectGraceMs: option(
    'PARLEY_RECONNECT_GRACE_SECONDS',
    'seconds',
    literal('30', 30_000),
    'How long a member whose connection dropped keeps its seat.',
    seconds(0, 3600),
  ),
  maxAudience: option(
    'PARLEY_MAX_AUDIENCE',
    'number',
    literal('1000', 1000),
    'Audience that one session admits besides its members.',
    integer(0, 1_000_000),
  ),
  seatsPerToken: option<number | null>(
    'PARLEY_SEATS_PER_TOKEN',
    'number',
    absent('(any number)'),
    'Seats that one room token or conference token fills at once.',
    integer(1, 1_000_000),
  ),
  speakersTakePlaces: option(
    'PARLEY_SPEAKERS_TAKE_PLACES',
    '1 or 0',
    literal('1', true),
    'If a layout has fewer places than members: whether somebody without a place who speaks for 2 s gets that of the member who has been silent for longest.',
    flag,
  ),
  roomChat: option(
    'PARLEY_ROOM_CHAT',
    '1 or 0',
    literal('1', true),
    'Whether those in a room may write to each other. Each conference says it by `enable_chat`.',
    flag,
  ),
  maxStreamsPerRoom: option(
    'PARLEY_MAX_STREAMS_PER_ROOM',
    'number',
    literal('5', 5),
    'Streams that one room or conference may have.',
    integer(0, 1000),
  ),
  maxPlaybacksPerRoom: option(
    'PARLEY_MAX_PLAYBACKS_PER_ROOM',
    'number',
    literal('2', 2),
    'Files and live transmissions that are played into one room or conference at a time; 0 for none.',
    integer(0, 100),
  ),
  requestsPerMinute: option(
    'PARLEY_REQUESTS_PER_MINUTE',
    'number',
    literal('6000', 6000),
    'Requests to the API that one project may make in a minute; 0 for no limit.',
    integer(0, 100_000_000),
  ),
  failedSignInsPerMinute: option(
    'PARLEY_FAILED_SIGN_INS_PER_MINUTE',
    'number',
    literal('60', 60),
    'Wrong credentials that one address may send in a minute before its guesses are slowed down; 0 for no limit.',
    integer(0, 100_000_000),
  ),
  oidcIssuer: option(
    'PARLEY_OIDC_ISSUER',
    'URL',
    absent('(none)'),
    'OpenID provider by which people sign in. Register the address <base URL>/page/openid/callback with it.',
    oidcIssuer,
  ) as Option<string | null>,
  oidcClientId: option(
    'PARLEY_OIDC_CLIENT_ID',
    'text',
    absent('(none)'),
    'Id of this server at the OpenID provider.',
    line,
  ) as Option<string | null>,
  oidcClientSecret: secret(
    option(
      'PARLEY_OIDC_CLIENT_SECRET',
      'secret',
      absent('(none, for a public client)'),
      'Secret of this server at the OpenID provider.',
      line,
    ) as Option<string | null>,
  ),
  oidcRoles: option<readonly OpenIdRule[]>(
    'PARLEY_OIDC_ROLES',
    'rules',
    literal('(nobody)', Object.freeze([])),
    'Who has which role by the OpenID provider: verified e-mail addresses (ada@example.org=owner, *@example.org=viewer) and values of claims (groups:operators=operator). The role that may most counts.',
    oidcRules,
  ),
  oidcName: option(
    'PARLEY_OIDC_NAME',
    'text',
    absent('(host name of the issuer)'),
    'Name of the OpenID provider on the sign-in page.',
    line,
  ) as Option<string | null>,
  oidcProject: option(
    'PARLEY_OIDC_PROJECT',
    'id',
    absent('(the oldest project)'),
    'Project that people of the OpenID provider sign in to.',
    projectId,
  ) as Option<string | null>,
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
  pricePerMemberMinute720p: option(
    'PARLEY_PRICE_MEMBER_MINUTE_720P',
    'dollars',
    literal('0', 0),
    'Price of one member for one minute in a 720p room.',
    price,
  ),
  pricePerMemberMinute1080p: option(
    'PARLEY_PRICE_MEMBER_MINUTE_1080P',
    'dollars',
    literal('0', 0),
    'Price of one member for one minute in a 1080p room.',
    price,
  ),
  pricePerRecordedMinute: option(
    'PARLEY_PRICE_RECORDED_MINUTE',
    'dollars',
    literal('0', 0),
    'Price of one recorded minute.',
    price,
  ),
  pricePerStreamedMinute: option(
    'PARLEY_PRICE_STREAMED_MINUTE',
    'dollars',
    literal('0', 0),
    'Price of one streamed minute.',
    price,
  ),
}

/** The configuration, read once at start and handed down. Times are in milliseconds, prices in dollars. */
export type Config = {
  readonly [Name in keyof typeof options]: (typeof options)[Name] extends Option<infer T> ? T : never
}

/** TCP port for plain HTTP, next to that for HTTPS by default; 0 for none. */
export function plainHttpPort({ port, httpPort }: Pick<Config, 'port' | 'httpPort'>): number {
  if (httpPort !== null) return httpPort
  // The ports at which browsers look for a name without a port.
  return port === 443 ? 80 : Math.max(0, port - 1)
}

/** Thrown when the environment has invalid values. The message names all of them, one per line. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError'
}

/**
 * Reads the configuration. Absent and empty variables get their defaults.
 * @throws ConfigError that names every bad value at once
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const entries = Object.entries(options).map(([name, { env: variable, secret, parse, fallback }]) => {
    const text = env[variable]?.trim()
    if (!text) return [name, fallback()]
    try {
      return [name, parse(text)]
    } catch (error) {
      if (!(error instanceof BadValue)) throw error
      const shown = secret ? '' : ` (it is "${text}")`
      problems.push(`${variable} must be ${error.message}${shown}`)
      return [name, fallback()]
    }
  })
  const config = Object.freeze(Object.fromEntries(entries)) as Config
  if ((config.tlsCert === null) !== (config.tlsKey === null)) {
    problems.push('PARLEY_TLS_CERT and PARLEY_TLS_KEY must be set together')
  }
  if (config.port !== 0 && config.httpPort === config.port) {
    problems.push('PARLEY_HTTP_PORT must be another port than PARLEY_PORT')
  }
  if (config.oidcIssuer !== null && (config.oidcClientId === null || config.oidcRoles.length === 0)) {
    problems.push('PARLEY_OIDC_ISSUER needs PARLEY_OIDC_CLIENT_ID and PARLEY_OIDC_ROLES')
  }
  const noAcme = noAcmeBecause(config)
  if (noAcme !== undefined && problems.length === 0) problems.push(noAcme)
  const publicHost = config.publicUrl === null ? '' : new URL(config.publicUrl).hostname
  if (spaceOfHost(publicHost, config.serviceDomain) !== null) {
    problems.push(
      'PARLEY_PUBLIC_URL must not be the host of a space: it leads to the projects that are in none',
    )
  }
  const rtcPorts = config.rtcPorts.last - config.rtcPorts.first + 1
  if (rtcPorts < config.mediaWorkers && problems.length === 0 && env[options.mediaWorkers.env]?.trim()) {
    problems.push(
      `PARLEY_RTC_PORTS must have a port for each of the ${config.mediaWorkers} media workers (it has ${rtcPorts})`,
    )
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  // Each worker needs one port, so there are never more workers than ports, whatever the number of cores.
  return Object.freeze({ ...config, mediaWorkers: Math.min(config.mediaWorkers, rtcPorts) })
}

/** Variables that start with `PARLEY_` but are not options, most likely because of a spelling error. */
export function unknownOptions(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set<string>(Object.values(options).map((entry) => entry.env))
  return Object.keys(env).filter((name) => name.startsWith('PARLEY_') && !known.has(name))
}
