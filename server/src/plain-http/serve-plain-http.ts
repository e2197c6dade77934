import { type Config, plainHttpPort } from '../config.ts'
import { createAnswering, type PlainHttpParts } from './answering.ts'
import { type PlainHttpOptions, type PlainHttpServer, startPlainHttp } from './plain-http-server.ts'
import { phoneAddress } from './reached-at.ts'

type Parts = Omit<PlainHttpParts, 'config'> &
  Pick<PlainHttpOptions, 'connections' | 'containment' | 'log'> & { config: Config }

/** The port for plain HTTP, and where people find it. */
export interface ServedPlainHttp extends PlainHttpServer {
  /** URL for people, such as `http://192.0.2.7:8442/`. */
  url: string
}

/** Serves plain HTTP at the configured port. Null when there is none, or when it cannot be listened at. */
export async function servePlainHttp(parts: Parts): Promise<ServedPlainHttp | null> {
  const { config } = parts
  const port = plainHttpPort(config)
  if (port === 0) return null
  const started = await startPlainHttp({ ...parts, host: config.host, port, answer: createAnswering(parts) })
  if (!started) return null
  const local = { hostInUrl: 'localhost', port, localPort: port, isForwarded: false }
  return { ...started, url: phoneAddress(config, local) ?? `http://localhost:${port}/` }
}
