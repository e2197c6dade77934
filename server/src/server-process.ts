import { type Logger, pino } from 'pino'
import { invitationPath } from './accounts/invitation.ts'
import { keepCompiledSoon } from './compile-cache.ts'
import { type Config, readConfig, unknownOptions } from './config.ts'
import { configuredSecrets } from './config-values.ts'
import { Containment, MustEnd } from './containment.ts'
import { startEarly } from './early-parts.ts'
import { OperatorError } from './errors/operator-error.ts'
import { logOutput } from './log-output.ts'
import { LogTail } from './log-tail/log-tail.ts'
import { takeRealTimePriority } from './real-time.ts'
import type { RunningServer } from './server.ts'
import { spareMemoryOnceQuiet } from './spare-memory.ts'
import { OWNER_ONLY_UMASK } from './storage/private-folder.ts'

const ROOT_WARNING =
  'the server runs as root, which it does not need: run it as a user of its own (see "Starting and stopping" in docs/operators.md)'

/** Names of fields that must never be logged. They are redacted down to the third level of a log entry. */
const SECRETS = ['authorization', 'token', 'apiToken', 'jwt_token', 'password', 'key', 'signature']

/** Starts the server, and ends this process on request or after a fatal fault. */
export async function runServer(): Promise<void> {
  process.umask(OWNER_ONLY_UMASK)
  try {
    const config = readConfig(process.env)
    const logTail = new LogTail(configuredSecrets(config))
    const log = await createLog(config, logTail)
    for (const name of unknownOptions(process.env)) log.warn({ option: name }, 'there is no such option')
    if (process.getuid?.() === 0) log.warn(ROOT_WARNING)
    // Handlers are installed before the start completes. A server that is told to stop while it starts stops once it
    // has started.
    const started = start(config, log, logTail)
    stopOnWish(started, log)
    bearFaults(started, log)
    const server = await started
    if (config.realTime) await goBeforeMedia(log)
    keepCompiledSoon()
    spareMemoryOnceQuiet()
    log.info({ url: server.baseUrl }, 'server runs')
    console.log(welcome(server, config))
    // Tells the parent process, such as scripts/start.mjs, that the start succeeded, so that a restart after a crash
    // makes sense.
    if (process.connected) process.send?.('running')
  } catch (error) {
    console.error(error instanceof OperatorError ? `Parley cannot start:\n${error.message}` : error)
    process.exit(1)
  }
}

/** The log goes to the standard output; the dashboard shows its end. */
async function createLog({ logLevel }: Config, logTail: LogTail): Promise<Logger> {
  const redact = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])
  const streams = [await logOutput(), logTail].map((stream) => ({ level: 'trace' as const, stream }))
  return pino({ level: logLevel, redact }, pino.multistream(streams))
}

/** Starts the media workers while the rest of the server is loaded. */
async function start(config: Config, log: Logger, logTail: LogTail): Promise<RunningServer> {
  const early = await startEarly(config, log, (line) => console.log(line))
  const { startServer } = await import('./server.ts')
  return startServer(config, { log, logTail, early })
}

/** Asks for real-time priority. Without the permission for it the server runs all the same. */
async function goBeforeMedia(log: Logger): Promise<void> {
  const refusal = await takeRealTimePriority()
  if (refusal !== undefined) log.debug({ refusal }, 'requests do not go before media')
}

/** The text that a user needs after the start. */
function welcome(
  { baseUrl, firstProject, ownerSecret, authorityFile, plainHttpUrl }: RunningServer,
  config: Config,
): string {
  const { projectId, apiToken, origin } = firstProject
  const token = {
    preset: 'as set by PARLEY_API_TOKEN',
    generated: `${apiToken}  (shown only now: keep it)`,
    kept: 'as shown at the first start (only its hash is kept)',
  }[origin]
  // The credentials are in the fragment, which is neither sent nor logged. The page removes it from the address bar.
  const signIn = apiToken === null ? '' : `#${new URLSearchParams({ project: projectId, token: apiToken })}`
  const certificate = authorityFile
    ? `${authorityFile}  (authority; "npx parley trust" makes this machine trust it)`
    : (config.tlsCert ?? `by ACME, for ${new URL(baseUrl).hostname}`)
  const owner =
    ownerSecret === null
      ? []
      : [
          '',
          `  Owner         ${baseUrl}${invitationPath(ownerSecret, true)}`,
          '                (choose a name and a password to sign in with; works once, within 24 hours)',
        ]
  const lines = [
    '',
    '  Parley is running.',
    '',
    `  Base URL      ${baseUrl}`,
    `  Project id    ${projectId}`,
    `  API token     ${token}`,
    `  Certificate   ${certificate}`,
    ...(authorityFile && plainHttpUrl
      ? [`  Browsers warn ${plainHttpUrl}  (says why, and ends it; for phones too)`]
      : []),
    `  Data          ${config.dataDir}`,
    '',
    `  Open          ${baseUrl}/${signIn}`,
    ...owner,
    '',
  ]
  return lines.join('\n')
}

/** Stops the server on a signal, or when the parent process that holds a channel to it ends. */
function stopOnWish(started: Promise<RunningServer>, log: Logger): void {
  let told = false
  const stop = async (because: string) => {
    // A second signal ends the process at once.
    if (told) process.exit(1)
    told = true
    log.info({ because }, 'server stops')
    // A failed start is reported where it is awaited.
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
  let draining = false
  // A signal while the meetings come to their end stops the server without waiting for them.
  const drain = async (because: string) => {
    if (!draining && !told) {
      draining = true
      log.info({ because }, 'server begins no more meetings')
      const server = await started.catch(() => null)
      await server?.drain()
      if (told) return
    }
    await stop(because)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', drain)
  process.once('disconnect', () => {
    if (told) return
    log.warn('the process that started this server is gone; the server stops')
    void stop('its parent process is gone')
  })
}

/** How long sessions may take to end after a fatal fault, in milliseconds. */
const FAULT_GRACE_MS = 5000

/**
 * Handles exceptions and rejections that nothing else contained. See docs/decisions/containment.md for why the process
 * goes on, and when it does not.
 */
function bearFaults(started: Promise<RunningServer>, log: Logger): void {
  const containment = new Containment(log)
  let running: RunningServer | null = null
  let ending = false
  started.then(
    (server) => {
      running = server
    },
    () => {},
  )
  const end = async (error: unknown) => {
    if (ending) return
    ending = true
    log.fatal({ err: error }, 'the server cannot go on and stops')
    setTimeout(() => process.exit(1), FAULT_GRACE_MS)
    const server = await started.catch(() => null)
    await server?.stop().catch((err: unknown) => log.error({ err }, 'the server did not stop cleanly'))
    process.exit(1)
  }
  const bear = (where: string) => (error: unknown) => {
    // A fault before the start has completed is fatal: the server may not work.
    if (error instanceof MustEnd || !running) void end(error)
    else containment.note(where, error)
  }
  process.on('uncaughtException', bear('uncaught exception'))
  process.on('unhandledRejection', bear('unhandled rejection'))
}
