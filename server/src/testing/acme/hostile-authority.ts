import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueCertificate, makeAuthority } from '../../tls/authority.ts'

/** A server that ought to speak ACME. */
export interface HostileAuthority {
  acmeDirectoryUrl: string
  /** File with the authority of its own certificate. */
  acmeCa: string
  /** Number of requests so far. */
  readonly requests: number
  stop(): void
}

/** @param answer answers every request as a broken ACME server may */
export async function startHostileAuthority(answer: RequestListener): Promise<HostileAuthority> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-hostile-'))
  const authority = await makeAuthority(Date.now())
  const acmeCa = join(folder, 'ca.pem')
  writeFileSync(acmeCa, authority.cert)
  let requests = 0
  const server = createServer(
    await issueCertificate(authority, ['localhost'], Date.now()),
    (request, response) => {
      requests++
      answer(request, response)
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    acmeDirectoryUrl: `https://localhost:${(server.address() as AddressInfo).port}/dir`,
    acmeCa,
    get requests() {
      return requests
    },
    stop() {
      server.close()
      server.closeAllConnections()
      rmSync(folder, { recursive: true })
    },
  }
}
