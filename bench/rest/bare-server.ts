import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { freePort, type ServerProcess } from '../../acceptance/testing/server-process.ts'

/** A bare Fastify route in a separate process. */
export interface BareServer {
  url: string
  stop(): Promise<void>
}

/** @param answer the route's answer @param server whose certificate the route uses */
export async function startBareServer(answer: object, { dataDir }: ServerProcess): Promise<BareServer> {
  const port = await freePort()
  const child = fork(path.join(import.meta.dirname, 'bare-route.ts'), {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      BARE_KEY: path.join(dataDir, 'tls/server-key.pem'),
      BARE_CERT: path.join(dataDir, 'tls/server.pem'),
      BARE_PORT: String(port),
      BARE_JSON: JSON.stringify(answer),
    },
  })
  await once(child, 'message')
  return {
    url: `https://localhost:${port}/`,
    async stop() {
      const exit = once(child, 'exit')
      child.kill()
      await exit
    },
  }
}
