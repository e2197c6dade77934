import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Bindings, Level, Logger } from 'pino'

/**
 * The log of one request. Every line has the request's id. The child logger is made with the first line, because making
 * it is slow, and hardly any request writes a line.
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

/** Makes the log of a request. It is an option of Fastify. */
export const requestLog = (parent: FastifyBaseLogger, bindings: Bindings): FastifyBaseLogger =>
  new RequestLog(parent, bindings)

/** Writes one line for each request, without the query string, which can contain signatures. */
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
