import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Bindings, Level, Logger } from 'pino'

/**
 * The log of one request: every line says the request's id. It is derived from the parent with the first line, which
 * hardly any request has, since that takes longer than much else that a request needs.
 */
class RequestLog implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger
  readonly #bindings: Bindings
  #derived: FastifyBaseLogger | undefined

  constructor(parent: FastifyBaseLogger, bindings: Bindings) {
    this.#parent = parent
    this.#bindings = bindings
  }

  get level(): string {
    return this.#log().level
  }

  set level(level: string) {
    this.#log().level = level
  }

  trace(...line: unknown[]): void {
    this.#write('trace', line)
  }

  debug(...line: unknown[]): void {
    this.#write('debug', line)
  }

  info(...line: unknown[]): void {
    this.#write('info', line)
  }

  warn(...line: unknown[]): void {
    this.#write('warn', line)
  }

  error(...line: unknown[]): void {
    this.#write('error', line)
  }

  fatal(...line: unknown[]): void {
    this.#write('fatal', line)
  }

  silent(): void {}

  child(bindings: Bindings): FastifyBaseLogger {
    return this.#log().child(bindings)
  }

  #log(): FastifyBaseLogger {
    this.#derived ??= this.#parent.child(this.#bindings)
    return this.#derived
  }

  #write(level: Level, line: unknown[]): void {
    const log = this.#log()
    log[level](...(line as [object]))
  }
}

/** Makes the log of a request; an option of Fastify. */
export const requestLog = (parent: FastifyBaseLogger, bindings: Bindings): FastifyBaseLogger =>
  new RequestLog(parent, bindings)

/** One line for each request; query strings are left out, since they can hold signatures. */
export function useRequestLog(app: FastifyInstance, log: Pick<Logger, 'isLevelEnabled'>): void {
  const tellsAll = log.isLevelEnabled('debug')
  app.addHook('onResponse', (request, reply, done) => {
    const failed = reply.statusCode >= 500
    if (failed || tellsAll) {
      const line = {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        timeMs: Math.round(reply.elapsedTime * 10) / 10,
      }
      request.log[failed ? 'warn' : 'debug'](line, 'request')
    }
    done()
  })
}
