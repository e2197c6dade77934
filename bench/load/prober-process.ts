import path from 'node:path'
import type { ServerProcess } from '../../acceptance/testing/server-process.ts'
import { Helper } from '../helper.ts'
import { goFirst } from '../scheduling.ts'

export type ProberRequest =
  | { method: 'join'; url: string; token: string }
  | { method: 'probe'; seconds: number }

/** Measures from outside how soon the server acts on a packet: it asks for a repetition, and takes the time. */
export class Prober {
  readonly #helper: Helper
  readonly #url: string

  constructor({ dataDir, access }: ServerProcess) {
    this.#helper = new Helper(path.join(import.meta.dirname, 'prober.ts'), {
      NODE_EXTRA_CA_CERTS: path.join(dataDir, 'tls/ca.pem'),
    })
    this.#url = access.baseUrl.replace('https:', 'wss:')
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
