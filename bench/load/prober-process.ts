import type { ServerProcess } from '../../acceptance/testing/server-process.ts'
import type { Helper } from '../helper.ts'
import { goFirst } from '../scheduling.ts'
import { openClients } from './open-clients.ts'

export type ProberRequest =
  | { method: 'join'; url: string; token: string }
  | { method: 'probe'; seconds: number }

/** Measures from outside how soon the server acts on a packet: it asks for a repetition, and takes the time. */
export class Prober {
  readonly #helper: Helper
  readonly #url: string

  constructor(server: ServerProcess) {
    const { helper, url } = openClients('prober.ts', server)
    this.#helper = helper
    this.#url = url
  }

  /** Enters a room as audience. In production it is on another machine; here it takes precedence over all others. */
  async join(token: string): Promise<void> {
    await this.#helper.ask({ method: 'join', url: this.#url, token } satisfies ProberRequest)
    await goFirst(this.#helper.pid)
  }

  /** @returns milliseconds of each answer; 1,000 for one that never came */
  probe(seconds: number): Promise<number[]> {
    return this.#helper.ask({ method: 'probe', seconds } satisfies ProberRequest) as Promise<number[]>
  }

  close(): void {
    this.#helper.close()
  }
}
