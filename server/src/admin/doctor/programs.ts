import { readFile } from 'node:fs/promises'
import SqliteDatabase from 'better-sqlite3'
import { type Examination, type Finding, failed, ok, warning } from './finding.ts'

/** Oldest Node that runs TypeScript without compilation. */
const OLDEST_NODE = 24

/** Older versions of OpenSSL get no updates any more, https://openssl-library.org/policies/releasestrat/ */
const OLDEST_OPENSSL = 3

/** Examines the running Node and the native modules: whether they load, and their versions. */
export const programs: Examination = {
  subject: 'Programs',
  async examine({ config }) {
    const { obstacleToOpenSsl } = await import('../../media-worker/transport/transport-choice.ts')
    const obstacle = await obstacleToOpenSsl()
    const isWanted = config.rtcTransport === 'openssl'
    return [
      node(),
      sqlite(),
      await libdatachannel(!isWanted || obstacle !== null),
      openSslTransport(isWanted, obstacle),
      await mediaCodecs(),
    ]
  },
}

function node(): Finding {
  const { node: version, openssl } = process.versions
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return ok('Node.js', `${version} with OpenSSL ${openssl}`)
  return failed('Node.js', version, `Run it with Node ${OLDEST_NODE} or newer; "npm start" brings one.`)
}

function sqlite(): Finding {
  const memory = new SqliteDatabase(':memory:')
  const version = memory.prepare('select sqlite_version()').pluck().get()
  memory.close()
  return ok('SQLite', String(version))
}

/** @param isUsed whether it carries media here. What is wrong with it matters only then */
async function libdatachannel(isUsed: boolean): Promise<Finding> {
  const subject = 'libdatachannel'
  try {
    // Imported here, because this tests whether the module can be loaded.
    const native = await import('../../media-worker/transport/native-connection.ts')
    const version = native.nativeTransportVersion()
    native.releaseNativeTransports()
    const openssl = await builtInOpenssl()
    if (openssl === undefined) return ok(subject, version)
    const detail = `${version} with OpenSSL ${openssl}`
    if (!isUsed) return ok(subject, `${detail}, not in use`)
    if (Number.parseInt(openssl, 10) >= OLDEST_OPENSSL) return ok(subject, detail)
    return warning(
      subject,
      `${detail}, which OpenSSL no longer maintains`,
      'It comes with the package node-datachannel: keep Parley up to date.',
    )
  } catch (error) {
    return doesNotLoad(subject, error)
  }
}

/**
 * Says whether media goes, or could go, by the OpenSSL inside Node.
 * @param obstacle what stands against it here
 */
function openSslTransport(isWanted: boolean, obstacle: string | null): Finding {
  const subject = 'Media by OpenSSL'
  if (obstacle === null) return ok(subject, isWanted ? 'in use' : 'possible here, not in use')
  if (!isWanted) return ok(subject, `not possible here, and not in use: ${obstacle}`)
  return warning(
    subject,
    `not possible here: ${obstacle}`,
    'libdatachannel serves instead. Set PARLEY_RTC_TRANSPORT to libdatachannel.',
  )
}

/**
 * Version of the OpenSSL that is built into the library. It is found by the version text that every OpenSSL contains.
 */
async function builtInOpenssl(): Promise<string | undefined> {
  const report = process.report.getReport() as { sharedObjects?: string[] }
  const file = report.sharedObjects?.find((path) => path.endsWith('node_datachannel.node'))
  if (file === undefined) return undefined
  const content = (await readFile(file)).toString('latin1')
  return /OpenSSL (\d+\.\d+\.\d+[a-z]*) +\d+ [A-Z][a-z]{2} \d{4}/.exec(content)?.[1]
}

async function mediaCodecs(): Promise<Finding> {
  const subject = 'FFmpeg'
  try {
    const { ffmpegVersion } = await import('node-av')
    return ok(subject, ffmpegVersion())
  } catch (error) {
    return doesNotLoad(subject, error)
  }
}

function doesNotLoad(subject: string, error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error)
  return failed(
    subject,
    `does not load: ${reason}`,
    'Install the packages anew: remove node_modules, npm start.',
  )
}
