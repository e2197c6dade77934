import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HostileAuthority, startHostileAuthority } from '../testing/acme/hostile-authority.ts'
import { startPebble } from '../testing/acme/pebble.ts'
import { freePort } from '../testing/free-port.ts'
import { ManualClock } from '../testing/simulation/manual-clock.ts'
import type { KeyedCertificate } from '../tls/authority.ts'
import { issueCertificate, makeAuthority } from '../tls/authority.ts'
import { createChallenges } from './challenges.ts'
import {
  acmeCertificateFile,
  keepCertificate,
  keptCertificate,
  lastAttempt,
  objection,
} from './kept-certificates.ts'
import { AcmeName, type AcmeParts } from './one-name.ts'

const NAME = 'meet.example.org'
const YEAR_MS = 365 * 24 * 60 * 60 * 1000
const MINUTE_MS = 60_000

let dataDir: string
let clock: ManualClock
let errors: { reason: string; advice: string }[]
let certificates: KeyedCertificate[]
const authorities: HostileAuthority[] = []
const { signal } = new AbortController()

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'parley-name-'))
  clock = new ManualClock(async () => {}, Date.now())
  errors = []
  certificates = []
})
afterEach(() => {
  for (const authority of authorities.splice(0)) authority.stop()
  rmSync(dataDir, { recursive: true })
})

function partsWith(settings: { acmeDirectoryUrl: string; acmeCa: string | null }): AcmeParts {
  return {
    config: { dataDir, acmeEmail: 'ops@example.org', ...settings },
    challenges: createChallenges(),
    ways: ['http-01'],
    onCertificate: (_name, pair) => certificates.push(pair),
    clock,
    log: { info() {}, debug() {}, error: (facts: (typeof errors)[number]) => errors.push(facts) } as never,
  }
}

async function hostile(answer: RequestListener): Promise<HostileAuthority> {
  const authority = await startHostileAuthority(answer)
  authorities.push(authority)
  return authority
}

/** An authority whose directory is good, and whose other answers are not. */
const afterDirectory = (answer: RequestListener): RequestListener => {
  return (request, response) => {
    const origin = `https://${request.headers.host}`
    const directory = {
      newNonce: `${origin}/nonce`,
      newAccount: `${origin}/account`,
      newOrder: `${origin}/order`,
    }
    if (request.url === '/dir')
      response.setHeader('content-type', 'application/json').end(JSON.stringify(directory))
    else if (request.url === '/nonce') response.setHeader('replay-nonce', 'bm9uY2U').end()
    else answer(request, response)
  }
}

const problem = (status: number, type: string, detail: string, headers = {}): RequestListener => {
  return (_request, response) => {
    response.writeHead(status, {
      'content-type': 'application/problem+json',
      'replay-nonce': 'bm9uY2U',
      ...headers,
    })
    response.end(JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail }))
  }
}

describe('an authority that answers badly', () => {
  const cases: Record<string, [RequestListener, RegExp]> = {
    'with a web page': [(_request, response) => response.end('<html>Welcome</html>'), /newNonce|directory/i],
    'with nothing': [(_request, response) => response.end(), /.+/],
    'with an error': [(_request, response) => response.writeHead(503).end('no'), /answered with 503/],
    'with a redirect': [(_request, response) => response.writeHead(302, { location: '/dir' }).end(), /302/],
    'with too much': [(_request, response) => response.end('x'.repeat(2_000_000)), /maxContentLength/],
    'by hanging up': [(request) => request.socket.destroy(), /hang up|ECONNRESET/],
    'with JSON of another kind': [afterDirectory((_request, response) => response.end('[1,2]')), /.+/],
    'with a nonce that is never good': [afterDirectory(problem(400, 'badNonce', 'bad nonce')), /bad nonce/],
    'with a problem': [afterDirectory(problem(403, 'unauthorized', 'no,\n not you')), /^no, not you$/],
  }
  for (const [how, [answer, reason]] of Object.entries(cases)) {
    it(`${how} is asked once, and not again before its time`, async () => {
      const authority = await hostile(answer)
      const name = await AcmeName.open(NAME, partsWith(authority))
      await name.keepUp(signal)
      expect(errors).toHaveLength(1)
      expect(errors[0]?.reason).toMatch(reason)
      const { requests } = authority
      // Some answers lead the library in circles, until it is stopped.
      expect(requests).toBeLessThan(1000)
      for (let minutes = 0; minutes < 14; minutes++) {
        await clock.advance(MINUTE_MS)
        await name.keepUp(signal)
      }
      expect(authority.requests).toBe(requests)
      await clock.advance(MINUTE_MS)
      await name.keepUp(signal)
      expect(errors).toHaveLength(2)
      expect((await lastAttempt(dataDir, NAME))?.failures).toBe(2)
    })
  }

  it('may say when to come again, and is believed, over restarts and jumps of the clock too', async () => {
    const limited = problem(429, 'rateLimited', 'too many certificates', { 'retry-after': '36000' })
    const authority = await hostile(afterDirectory(limited))
    const parts = partsWith(authority)
    const name = await AcmeName.open(NAME, parts)
    await name.keepUp(signal)
    expect(errors[0]).toMatchObject({
      reason: 'too many certificates',
      advice: expect.stringMatching(/^Wait/),
    })
    const { requests } = authority
    await clock.advance(9 * 60 * MINUTE_MS)
    await name.keepUp(signal)
    const restarted = await AcmeName.open(NAME, parts)
    await restarted.keepUp(signal)
    // The clock is set: forwards, and back to before the start.
    for (const years of [20, -40]) {
      clock.jump(years * YEAR_MS)
      await name.keepUp(signal)
    }
    expect(authority.requests).toBe(requests)
    await clock.advance(61 * MINUTE_MS)
    await name.keepUp(signal)
    expect(authority.requests).toBeGreaterThan(requests)
  })

  it('is named with what to do when it cannot be reached or is not trusted', async () => {
    const authority = await hostile((_request, response) => response.end())
    const untrusted = await AcmeName.open(NAME, partsWith({ ...authority, acmeCa: null }))
    await untrusted.keepUp(signal)
    expect(errors.at(-1)?.advice).toContain('PARLEY_ACME_CA')
    const nobody = { acmeDirectoryUrl: `https://localhost:${await freePort()}/dir`, acmeCa: null }
    await (await AcmeName.open('a.example.org', partsWith(nobody))).keepUp(signal)
    expect(errors.at(-1)?.advice).toContain('PARLEY_ACME_DIRECTORY_URL')
    const noFile = { ...authority, acmeCa: join(dataDir, 'nothing.pem') }
    await (await AcmeName.open('b.example.org', partsWith(noFile))).keepUp(signal)
    expect(errors.at(-1)?.reason).toContain('PARLEY_ACME_CA')
  })
})

it('asks for nothing that it could not keep', async () => {
  const authority = await hostile((_request, response) => response.end())
  mkdirSync(join(dataDir, 'tls'))
  writeFileSync(join(dataDir, 'tls', 'acme'), 'a file in place of the folder')
  const name = await AcmeName.open('meet.example.net', partsWith({ ...authority })).catch(
    (error: Error) => error,
  )
  if (name instanceof AcmeName) await name.keepUp(signal)
  expect(authority.requests).toBe(0)
  expect(certificates).toEqual([])
})

it('renews after two thirds of the life, once, however the clock is set', async () => {
  const httpPort = await freePort()
  const pebble = await startPebble({ httpPort, tlsPort: 1 })
  const settings = {
    acmeDirectoryUrl: pebble.env.PARLEY_ACME_DIRECTORY_URL ?? '',
    acmeCa: pebble.env.PARLEY_ACME_CA ?? '',
  }
  const parts = partsWith(settings)
  const token = (url = '') => url.slice(url.lastIndexOf('/') + 1)
  const http = createServer((request, response) =>
    response.end(parts.challenges.answerTo(token(request.url))),
  )
  http.listen(httpPort, '127.0.0.1')
  try {
    const name = await AcmeName.open(NAME, parts)
    const keepUp = () => name.keepUp(signal)
    await keepUp()
    expect(errors).toEqual([])
    expect(certificates).toHaveLength(1)
    // Pebble's certificates are for five years.
    clock.jump(3 * YEAR_MS)
    await keepUp()
    expect(certificates).toHaveLength(1)
    clock.jump(0.5 * YEAR_MS)
    await keepUp()
    expect(certificates).toHaveLength(2)
    expect(certificates[1]?.key).not.toBe(certificates[0]?.key)
    // Pebble's clock did not move, so the new one is due already. It is not asked again for a day.
    for (let hours = 0; hours < 23; hours++) {
      await clock.advance(60 * MINUTE_MS)
      await keepUp()
    }
    expect(certificates).toHaveLength(2)
    expect(readFileSync(acmeCertificateFile(dataDir, NAME), 'utf8')).toContain(certificates[1]?.key)
    expect(await keptCertificate(dataDir, NAME, Date.now())).toEqual(certificates[1])
    // A certificate of another directory, such as one for tests, is not what the operator wants now.
    await AcmeName.open(NAME, partsWith({ ...settings, acmeDirectoryUrl: 'https://other.example/dir' }))
    expect(certificates).toHaveLength(2)
  } finally {
    http.close()
    pebble.stop()
  }
}, 30_000)

it('serves no certificate that is damaged, of another name or key, or at its end', async () => {
  const now = Date.now()
  const pair = await issueCertificate(await makeAuthority(now), [NAME], now)
  const other = await issueCertificate(await makeAuthority(now), [NAME], now)
  expect(objection(pair, NAME, now)).toBeUndefined()
  expect(objection(pair, 'other.example.org', now)).toContain('not for other.example.org')
  expect(objection({ ...pair, key: other.key }, NAME, now)).toContain('another key')
  expect(objection({ ...pair, cert: 'garbage' }, NAME, now)).toContain('no certificate')
  expect(objection(pair, NAME, now + 2 * YEAR_MS)).toContain('ended')
  await keepCertificate(dataDir, NAME, pair)
  expect(await keptCertificate(dataDir, NAME, now)).toEqual(pair)
  const file = acmeCertificateFile(dataDir, NAME)
  for (const half of ['', pair.key, pair.cert, readFileSync(file, 'utf8').slice(0, 900)]) {
    writeFileSync(file, half)
    expect(await keptCertificate(dataDir, NAME, now)).toBeUndefined()
  }
})
