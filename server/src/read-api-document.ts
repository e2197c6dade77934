import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { pino } from 'pino'
import { readConfig } from './config.ts'
import { startServer } from './server.ts'

/**
 * Reads the API document from a server that is started only for this, with a temporary data folder.
 * @returns OpenAPI 3.1
 */
export async function readApiDocument(): Promise<object> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-docs-'))
  const firstPort = 30_000 + Math.floor(Math.random() * 2000)
  const config = readConfig({
    PARLEY_HOST: '127.0.0.1',
    PARLEY_PORT: '0',
    PARLEY_DATA_DIR: dataDir,
    PARLEY_MEDIA_WORKERS: '1',
    PARLEY_RTC_PORTS: `${firstPort}-${firstPort + 1}`,
  })
  const server = await startServer(config, { log: pino({ level: 'silent' }) })
  try {
    const ca = readFileSync(join(dataDir, 'tls', 'ca.pem'))
    return await fetchJson(`https://127.0.0.1:${server.address.port}/docs/openapi.json`, ca)
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function fetchJson(url: string, ca: Buffer): Promise<object> {
  return new Promise((resolve, reject) => {
    const request = get(url, { ca, agent: false }, (answer) =>
      json(answer).then((value) => resolve(value as object), reject),
    )
    request.on('error', reject)
  })
}
