import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { readConfig } from '../../config.ts'
import { type Coturn, type CoturnOptions, startCoturn } from '../../testing/coturn.ts'
import { freePort } from '../../testing/free-port.ts'
import { issueCertificate, makeAuthority } from '../../tls/authority.ts'
import { turnCredentials } from '../../turn/ice-servers.ts'
import { turn } from './turn.ts'
import { TurnAllocation } from './turn-allocation.ts'
import { connectToTurn } from './turn-connection.ts'

let folder: string
let coturn: Coturn | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-turn-'))
})
afterEach(async () => {
  await coturn?.stop()
  coturn = undefined
  rmSync(folder, { recursive: true })
})

const start = async (options: CoturnOptions = {}) => {
  coturn = await startCoturn(options)
  return coturn
}

/** What the doctor says about these addresses, in one line each. */
async function examined(urls: string, secret = coturn?.secret ?? 'some', announced = '127.0.0.1') {
  const env = { PARLEY_TURN_URLS: urls, PARLEY_TURN_SECRET: secret, PARLEY_ANNOUNCED_IP: announced }
  const findings = await turn.examine({ config: readConfig(env), env, clock: systemClock })
  return findings.map(({ status, detail, advice = '' }) => `${status}: ${detail} ${advice}`.trim())
}

it('is told when there is none', async () => {
  const findings = await turn.examine({ config: readConfig({}), env: {}, clock: systemClock })
  expect(findings).toMatchObject([{ status: 'ok', detail: expect.stringContaining('none is configured') }])
})

it('allocates by UDP, TCP and TLS, and sees that browsers do not know the authority', async () => {
  const now = Date.now()
  const pair = await issueCertificate(await makeAuthority(now), ['localhost'], now)
  const certificate = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  writeFileSync(certificate.cert, pair.cert)
  writeFileSync(certificate.key, pair.key)
  const { port, tlsPort } = await start({ certificate })
  const urls = `turn:127.0.0.1:${port}, turn:127.0.0.1:${port}?transport=tcp, turns:127.0.0.1:${tlsPort}`
  const [udp, tcp, tls] = await examined(urls)
  expect(udp).toMatch(/^ok: relays to this server; an allocation took \d+ ms$/)
  expect(tcp).toMatch(/^ok: relays to this server/)
  expect(tls).toMatch(/^warning: relays to this server.*browsers do not trust its certificate: \w+/)
})

it.each([
  ['another secret', 'wrong', {}, /^failed: refuses: 401.*static-auth-secret/],
  [
    'no way to this server',
    undefined,
    { more: ['--denied-peer-ip=127.0.0.1'] },
    /^failed: may not send.*allowed-peer-ip/,
  ],
])('names %s', async (_, secret, options, words) => {
  const { port } = await start(options)
  expect(await examined(`turn:127.0.0.1:${port}?transport=tcp`, secret)).toEqual([
    expect.stringMatching(words),
  ])
})

it('names a quota that is used up', async () => {
  const { port, secret } = await start({ more: ['--total-quota=1'] })
  const connection = await connectToTurn({ host: '127.0.0.1', port, transport: 'tcp' })
  await TurnAllocation.make(connection, turnCredentials(secret, Math.ceil(Date.now() / 1000) + 60, 'ada'))
  expect(await examined(`turn:127.0.0.1:${port}?transport=tcp`)).toEqual([
    expect.stringMatching(/^failed: refuses: 486.*quota/),
  ])
  connection.close()
})

it('names credentials that are too old, which a wrong clock makes', async () => {
  const { port } = await start()
  const env = { PARLEY_TURN_URLS: `turn:127.0.0.1:${port}`, PARLEY_TURN_SECRET: coturn?.secret }
  const yesterday = { ...systemClock, now: () => Date.now() - 86_400_000 }
  const findings = await turn.examine({ config: readConfig(env), env, clock: yesterday })
  expect(findings).toMatchObject([{ status: 'failed', advice: expect.stringContaining('clocks') }])
})

it('names a server that serves everybody', async () => {
  const { port } = await start({ open: true })
  expect(await examined(`turn:127.0.0.1:${port}`)).toEqual([
    expect.stringMatching(/^failed: serves everybody/),
  ])
})

it('names what is not there, and what does not answer', async () => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1')
  await once(silent, 'listening')
  const port = await freePort()
  const findings = await examined(
    [
      `turn:127.0.0.1:${port}?transport=tcp`,
      `turns:127.0.0.1:${port}`,
      `turn:127.0.0.1:${silent.address().port}`,
      'turn:nowhere.invalid',
    ].join(','),
  )
  silent.close()
  expect(findings).toEqual([
    expect.stringMatching(/^failed: nothing listens there See that it runs/),
    expect.stringMatching(/^failed: nothing listens there/),
    expect.stringMatching(/^failed: does not answer over UDP/),
    expect.stringMatching(/^failed: its name (is unknown|cannot be looked up)/),
  ])
})
