import { expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { readConfig } from '../../config.ts'
import { objectStore } from './object-store.ts'

const examined = (env: Record<string, string>) =>
  objectStore.examine({ config: readConfig(env), env, clock: systemClock })

it('is missed by the nodes of a cluster, and not by a server alone', async () => {
  expect(await examined({})).toEqual([])
  const findings = await examined({
    PARLEY_DATABASE_URL: 'postgres://nowhere/x',
    PARLEY_NATS_URL: 'nats://nowhere',
    PARLEY_NODE_ADDRESS: '10.0.0.1:8443',
  })
  expect(findings).toMatchObject([
    { status: 'warning', subject: 'Object store', advice: expect.stringContaining('PARLEY_S3_BUCKET') },
  ])
})
