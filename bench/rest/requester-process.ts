import path from 'node:path'
import { Helper } from '../helper.ts'
import { goFirst } from '../scheduling.ts'

/** A time in which requests are sent at a fixed rate, each whether or not the one before has been answered. */
export interface Window {
  url: string
  authorization: string
  requestsPerSecond: number
  seconds: number
}

/** Garbage of a whole window fits, so that none is collected while it lasts. */
const OWN_MEMORY = ['--expose-gc', '--max-semi-space-size=64']

/** Whoever waits for answers, in a process of its own. */
export class RequesterProcess {
  readonly #helper: Helper

  /** @param authority file with the certificate authority of the server */
  constructor(authority: string) {
    const program = path.join(import.meta.dirname, 'requester.ts')
    this.#helper = new Helper(program, { NODE_EXTRA_CA_CERTS: authority }, OWN_MEMORY)
  }

  /** Its machine is another in truth: here it takes a core from whoever has one. */
  goFirst(): Promise<void> {
    return goFirst(this.#helper.pid)
  }

  /** @returns milliseconds that one in a hundred requests took longer than */
  async p99Ms(window: Window): Promise<number> {
    return (await this.#helper.ask(window)) as number
  }

  close(): void {
    this.#helper.close()
  }
}
