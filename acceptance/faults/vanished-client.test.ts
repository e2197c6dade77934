import { afterAll, expect, test } from 'vitest'
import { freePort } from '../testing/server-process.ts'
import { TcpRelay } from '../testing/tcp-relay.ts'
import { RED, useDeployment } from '../testing/use-deployment.ts'

const STOPS_WITHIN_MS = 8000

const port = await freePort()
const relay = await TcpRelay.open({ port })
const deployment = useDeployment({
  name: 'vanished-client',
  env: { PARLEY_PORT: String(port), PARLEY_PUBLIC_URL: `https://localhost:${relay.port}` },
})

afterAll(() => relay.close())

test('Ctrl-C does not wait for a client that has vanished', async () => {
  const red = await deployment.enter(RED, { room_name: deployment.roomName() })
  await red.moreFrames(3)
  relay.freeze()
  const stoppedMs = performance.now()
  expect(await deployment.server.stop()).toBe(0)
  expect(performance.now() - stoppedMs).toBeLessThan(STOPS_WITHIN_MS)
})
