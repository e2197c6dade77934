import { fork } from 'node:child_process'
import { join } from 'node:path'

/** A receiver of webhooks in a process of its own. */
export interface CountingReceiver {
  url: string
  /** Resolves once it has got so many messages in all. */
  has(count: number): Promise<void>
  stop(): void
}

/** Starts a receiver. It ends with this process. */
export async function startReceiver(): Promise<CountingReceiver> {
  const child = fork(join(import.meta.dirname, 'receiver.ts'))
  let count = 0
  let look = () => {}
  const port = await new Promise<number>((resolve) => {
    child.on('message', (message: { port?: number; count?: number }) => {
      if (message.port !== undefined) resolve(message.port)
      count = message.count ?? count
      look()
    })
  })
  return {
    url: `http://127.0.0.1:${port}/hook`,
    has: (wanted) =>
      new Promise((resolve) => {
        look = () => {
          if (count >= wanted) resolve()
        }
        look()
      }),
    stop: () => void child.disconnect(),
  }
}
