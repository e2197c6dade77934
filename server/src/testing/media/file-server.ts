import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** Answers a request in its own way. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

/** A web server on 127.0.0.1 that gives the files of a folder, in parts too, and can be made to behave badly. */
export class FileServer {
  readonly #server: Server
  readonly #folder: string
  /** Paths that are answered otherwise. */
  readonly behaviours = new Map<string, Behaviour>()
  /** Method, path and range of each request. */
  readonly requests: string[] = []

  private constructor(folder: string) {
    this.#folder = folder
    this.#server = createServer((request, response) => this.#answer(request, response))
  }

  static async start(folder: string): Promise<FileServer> {
    const server = new FileServer(folder)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}/${path}`
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '/').slice(1)
    this.requests.push(`${path} ${request.headers.range ?? ''}`.trim())
    const behaviour = this.behaviours.get(path)
    if (behaviour) behaviour(request, response)
    else void this.#give(path, request, response)
  }

  async #give(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = join(this.#folder, path)
    const size = await stat(file).then(
      ({ size }) => size,
      () => null,
    )
    if (size === null) {
      response.writeHead(404).end()
      return
    }
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    const [start, end] = [Number(from), to === '' ? size - 1 : Number(to)]
    const headers = { 'content-length': end - start + 1, 'accept-ranges': 'bytes' }
    if (request.headers.range === undefined) response.writeHead(200, headers)
    else response.writeHead(206, { ...headers, 'content-range': `bytes ${start}-${end}/${size}` })
    createReadStream(file, { start, end }).pipe(response)
  }
}
