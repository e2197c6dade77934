import { isIP } from 'node:net'
import { LETS_ENCRYPT } from './config/certificate-options.ts'
import { BadValue, type Option } from './config/option.ts'
import { options } from './config/options.ts'
import { OperatorError } from './errors/operator-error.ts'
import { spaceOfHost } from './space-of-host.ts'

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
  if (config.natsUrls !== null && (config.databaseUrl === null || config.nodeAddress === null)) {
    problems.push('PARLEY_NATS_URL needs PARLEY_DATABASE_URL, which all nodes share, and PARLEY_NODE_ADDRESS')
  }
  if (config.s3Bucket !== null && (config.s3AccessKey === null || config.s3SecretKey === null)) {
    problems.push('PARLEY_S3_BUCKET needs PARLEY_S3_ACCESS_KEY and PARLEY_S3_SECRET_KEY')
  }
  if (config.turnUrls.length > 0 !== (config.turnSecret !== null)) {
    problems.push('PARLEY_TURN_URLS and PARLEY_TURN_SECRET must be set together')
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

/**
 * Why the authority cannot have a certificate for the server; undefined when it can. A public authority verifies names
 * by the public DNS. A private one may know others, but none for an address.
 */
function noAcmeBecause({
  acmeEmail,
  acmeDirectoryUrl,
  publicUrl,
  tlsCert,
  natsUrls,
}: Config): string | undefined {
  if (acmeEmail === null) return undefined
  if (natsUrls !== null) {
    return 'PARLEY_ACME_EMAIL is for one server: let the balancer before the nodes have the certificate, or give all nodes the same one by PARLEY_TLS_CERT'
  }
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
