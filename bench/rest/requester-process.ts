import path from 'node:path'
import { Helper } from '../helper.ts'
import { goFirst } from '../scheduling.ts'

/**
 * A time in which requests are sent at a fixed rate. Each is sent at its time, even if the one before is still
 * unanswered.
 */
export interface Window {
  url: string
  authorization: string
  requestsPerSecond: number
  seconds: number
}

/** The heap holds the garbage of a whole window, so that no collection runs during it. */
const OWN_MEMORY = ['--expose-gc', '--max-semi-space-size=64']

/** The separate process that sends the requests and waits for the answers. */
export class RequesterProcess {
  readonly #helper: Helper

  /** @param authority file with the certificate authority of the server */
  constructor(authority: string) {
    const program = path.join(import.meta.dirname, 'requester.ts')
    this.#helper = new Helper(program, { NODE_EXTRA_CA_CERTS: authority }, OWN_MEMORY)
  }

  /** In production the client runs on another machine. Here its process takes precedence over all others. */
  goFirst(): Promise<void> {
    return goFirst(this.#helper.pid)
  }

  /** @returns the 99th percentile in milliseconds */
  async p99Ms(window: Window): Promise<number> {
    return (await this.#helper.ask(window)) as number
  }

  close(): void {
    this.#helper.close()
  }
}
