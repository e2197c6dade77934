import { createServer } from 'node:net'
import { type Config, plainHttpPort } from '../../config.ts'
import { tcpListeners } from '../../port-holders.ts'
import { type Examination, type Finding, ok, type Patient, warning } from './finding.ts'
import { isServing } from './web-port.ts'

/** Examines the port for plain HTTP. The server does without it when it is taken, so nothing fails here. */
export const httpPort: Examination = {
  subject: 'HTTP port',
  async examine({ config }: Patient) {
    const port = plainHttpPort(config)
    if (port === 0) return []
    return [await look(`HTTP port ${port}`, port, config)]
  },
}

async function look(subject: string, port: number, config: Config): Promise<Finding> {
  const code = await tryListening(config.host, port)
  if (code === undefined) {
    const runs = await isServing(config)
    if (!runs) return ok(subject, `free at ${config.host}`)
    return warning(subject, 'Parley runs, and does not serve it', 'Start it again; its log has the reason.')
  }
  if (code !== 'EADDRINUSE') {
    const advice =
      'Ports below 1024 need the capability CAP_NET_BIND_SERVICE; PARLEY_HTTP_PORT sets another one.'
    return warning(subject, `cannot be listened at on ${config.host} (${code})`, advice)
  }
  const holder = await tcpListeners(port)
  const server = (await isServing(config)) ? await tcpListeners(config.port) : undefined
  if (holder === server) return ok(subject, 'served by Parley')
  const by = holder === '' ? 'another program' : holder
  return warning(subject, `is used by ${by}`, 'Stop it, or set PARLEY_HTTP_PORT to another port or to off.')
}

/** @returns why not; undefined if it could */
async function tryListening(host: string, port: number): Promise<string | undefined> {
  const listener = createServer()
  const code = await new Promise<string | undefined>((resolve) => {
    listener.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    listener.listen({ host, port, exclusive: true }, () => resolve(undefined))
  })
  if (code === undefined) await new Promise((resolve) => listener.close(resolve))
  return code
}
