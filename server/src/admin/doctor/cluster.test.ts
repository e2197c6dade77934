import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { readConfig } from '../../config.ts'
import { type NatsNodeOptions, natsNode } from '../../testing/nats-nodes.ts'
import { type TemporaryNats, temporaryNats } from '../../testing/temporary-nats.ts'
import { issueCertificate, makeAuthority } from '../../tls/authority.ts'
import { version } from '../version.ts'
import { cluster } from './cluster.ts'

let nats: TemporaryNats
let server: Server
let address: string
const open: Cluster[] = []

beforeAll(async () => {
  nats = await temporaryNats()
  const pair = await issueCertificate(await makeAuthority(Date.now()), ['localhost'], Date.now())
  server = createServer(pair, (_, answer) => answer.end('{"status":"ready","reasons":[],"warnings":[]}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`
}, 30_000)
afterAll(async () => {
  await Promise.all(open.map((node) => node.stop()))
  server.close()
  await nats.remove()
})

const start = async (name: string, options: NatsNodeOptions) => {
  open.push(await natsNode(nats.url, 'doctor', name, { address, version, ...options }))
}

async function examined(url: string) {
  const env = {
    PARLEY_DATABASE_URL: 'postgres://nowhere/x',
    PARLEY_NATS_URL: url,
    PARLEY_NATS_PREFIX: 'doctor',
    PARLEY_NODE_ADDRESS: '10.0.0.1:8443',
    PARLEY_PORT: '0',
  }
  return cluster.examine({ config: readConfig(env), env, clock: systemClock })
}

it('is not looked for by a server alone', async () => {
  expect(await cluster.examine({ config: readConfig({}), env: {}, clock: systemClock })).toEqual([])
})

it('tells of every node: who is well, who cannot be reached, whose clock or version is another', async () => {
  await start('a', {})
  await start('b', { address: '127.0.0.1:1' })
  await start('c', { aheadMs: -5000 })
  await start('d', { version: '0.0.1' })
  const findings = await examined(nats.url)
  expect(findings.map(({ status, subject, detail }) => `${status} ${subject}: ${detail}`)).toEqual([
    expect.stringMatching(/^ok NATS: 127.0.0.1:\d+, with JetStream; 4 nodes are alive$/),
    `ok Node a: ${version} at ${address}, 0 sessions`,
    expect.stringMatching(/^failed Node b: .*nobody answers there$/),
    expect.stringMatching(/^failed Node c: .*its clock is 5\.\d s behind this one$/),
    `warning Node d: 0.0.1 at ${address}, 0 sessions: here it is ${version}`,
  ])
})

it('tells that NATS is away, without its password', async () => {
  const [finding] = await examined('nats://parley:hidden-password@127.0.0.1:1')
  expect(finding).toMatchObject({ status: 'failed', detail: expect.stringContaining('NATS at 127.0.0.1:1') })
  expect(JSON.stringify(finding)).not.toContain('hidden-password')
})
