import { readFile } from 'node:fs/promises'
import SqliteDatabase from 'better-sqlite3'
import { type Examination, type Finding, failed, ok, warning } from './finding.ts'

/** Oldest Node that runs TypeScript as it is. */
const OLDEST_NODE = 24

/** OpenSSL before this version gets no updates any more, https://openssl-library.org/policies/releasestrat/ */
const OLDEST_OPENSSL = 3

/** The Node that runs this, and the native parts: whether they load, and which versions they are. */
export const programs: Examination = {
  subject: 'Programs',
  async examine() {
    return [node(), sqlite(), await mediaTransport(), await mediaCodecs()]
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

async function mediaTransport(): Promise<Finding> {
  const subject = 'libdatachannel'
  try {
    // Loaded only now: whether that works is the question.
    const native = await import('../../media-worker/transport/native-connection.ts')
    const version = native.nativeTransportVersion()
    native.releaseNativeTransports()
    const openssl = await builtInOpenssl()
    if (openssl === undefined) return ok(subject, version)
    const detail = `${version} with OpenSSL ${openssl}`
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

/** The version of the OpenSSL that is part of the library, by the text that every OpenSSL carries. */
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
