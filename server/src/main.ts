import { type Logger, pino } from 'pino'
import { type Config, ConfigError, readConfig, unknownOptions } from './config.ts'
import { takeRealTimePriority } from './real-time.ts'
import { CannotListen, type RunningServer, startServer } from './server.ts'
import { DataFolderUnusable } from './storage/data-folder.ts'
import { DatabaseTooNew } from './storage/migrate.ts'
import { DatabaseUnreachable } from './storage/postgres/waiting-pool.ts'
import { OWNER_ONLY_UMASK } from './storage/private-folder.ts'
import { UnusableCertificate } from './tls/certificate.ts'

/** What an operator can put right: said in words, without a stack. */
const OPERATOR_ERRORS = [
  ConfigError,
  CannotListen,
  DataFolderUnusable,
  DatabaseTooNew,
  DatabaseUnreachable,
  UnusableCertificate,
]

const ROOT_WARNING =
  'the server runs as root, which it does not need: run it as a user of its own (see "Under a service manager" in docs/operators.md)'

/** Never to be logged, wherever they turn up. */
const SECRETS = ['authorization', 'token', 'apiToken', 'jwt_token', 'password', 'key', 'signature']

process.umask(OWNER_ONLY_UMASK)
await main()

async function main(): Promise<void> {
  try {
    const config = readConfig(process.env)
    const log = pino({
      level: config.logLevel,
      redact: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
    })
    for (const name of unknownOptions(process.env)) log.warn({ option: name }, 'there is no such option')
    if (process.getuid?.() === 0) log.warn(ROOT_WARNING)
    // From the first moment on: a server that was told to stop while it starts stops once it has started.
    const started = startServer(config, { log })
    stopOnSignals(started)
    stopOnFaults(started, log)
    const server = await started
    if (config.realTime) await goBeforeMedia(log)
    console.log(welcome(server, config))
  } catch (error) {
    const isForOperator = OPERATOR_ERRORS.some((type) => error instanceof type)
    console.error(isForOperator ? `Parley cannot start:\n${(error as Error).message}` : error)
    process.exit(1)
  }
}

/** A server that may not is a server all the same. */
async function goBeforeMedia(log: Logger): Promise<void> {
  const refusal = await takeRealTimePriority()
  if (refusal !== undefined) log.debug({ refusal }, 'requests do not go before media')
}

/** What somebody needs to know who just started the server. */
function welcome({ baseUrl, firstProject, authorityFile }: RunningServer, config: Config): string {
  const { projectId, apiToken, origin } = firstProject
  const token = {
    preset: 'as set by PARLEY_API_TOKEN',
    generated: `${apiToken}  (shown only now: keep it)`,
    kept: 'as shown at the first start (only its hash is kept)',
  }[origin]
  // In the fragment, which is neither sent nor logged; the page takes it out of the address bar.
  const signIn = apiToken === null ? '' : `#${new URLSearchParams({ project: projectId, token: apiToken })}`
  const certificate = authorityFile
    ? `${authorityFile}  (authority; import it and browsers trust this server)`
    : `${config.tlsCert}`
  const lines = [
    '',
    '  Parley is running.',
    '',
    `  Base URL      ${baseUrl}`,
    `  Project id    ${projectId}`,
    `  API token     ${token}`,
    `  Certificate   ${certificate}`,
    `  Data          ${config.dataDir}`,
    '',
    `  Open          ${baseUrl}/${signIn}`,
    '',
  ]
  return lines.join('\n')
}

function stopOnSignals(started: Promise<RunningServer>): void {
  let told = false
  const stop = async () => {
    // A second signal means now.
    if (told) process.exit(1)
    told = true
    // A failed start is told where it is awaited.
    const server = await started.catch(() => null)
    if (!server) return
    try {
      await server.stop()
      process.exit(0)
    } catch (error) {
      console.error('Parley did not stop cleanly:', error)
      process.exit(1)
    }
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

/** How long sessions may take to end after a fault that nobody foresaw, in milliseconds. */
const FAULT_GRACE_MS = 5000

/** After a fault that nobody caught, nothing is certain any more: sessions are ended as well as it goes. */
function stopOnFaults(started: Promise<RunningServer>, log: Logger): void {
  process.once('uncaughtException', async (error) => {
    log.fatal({ err: error }, 'an error that nobody caught; the server stops')
    setTimeout(() => process.exit(1), FAULT_GRACE_MS)
    const server = await started.catch(() => null)
    await server?.stop().catch((err: unknown) => log.error({ err }, 'the server did not stop cleanly'))
    process.exit(1)
  })
}
