import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** A message that a receiver got. */
export interface ReceivedMessage {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  json: any
}

/** How a receiver answers: with a status, or as the function does. */
type Answering = number | ((message: ReceivedMessage, response: ServerResponse) => void)

/** A real receiver of webhooks on this machine. */
export interface WebhookReceiver {
  url: string
  port: number
  /** Everything that came, also what was not taken. */
  messages: ReceivedMessage[]
  /** Changes how it answers. At first it takes everything. */
  answer(how: Answering): void
  close(): Promise<void>
}

export async function startWebhookReceiver(port = 0): Promise<WebhookReceiver> {
  const messages: ReceivedMessage[] = []
  let answering: Answering = 200
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const message = { path: request.url ?? '', headers: request.headers, body, json: JSON.parse(body) }
      messages.push(message)
      if (typeof answering === 'number') response.writeHead(answering).end()
      else answering(message, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    port: address.port,
    messages,
    answer(how) {
      answering = how
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A server that takes connections and never answers. */
export async function startSilentServer(): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/silent`,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Verifies a message as receivers do. @throws Error when its signature is not by this secret */
export const verified = (secret: string, { body, headers }: ReceivedMessage): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>)
