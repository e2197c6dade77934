import path from 'node:path'
import { Helper } from '../helper.ts'

export type LoadRequest =
  | { method: 'offerToSend' | 'offerToReceive'; peer: string }
  | { method: 'takeAnswer' | 'answer'; peer: string; sdp: string }
  | { method: 'count' }

/** What one receiver has got so far. */
export interface Received {
  /** All of them. */
  packets: number
  sound: number
  /** That it had asked for once more. */
  repeated: number
}

/** The browsers' side: one publisher and many receivers, in a separate process. */
export class LoadProcess {
  readonly #helper = new Helper(path.join(import.meta.dirname, 'load.ts'))

  /** @returns the publisher's offer */
  offerToSend(peer: string): Promise<string> {
    return this.#ask({ method: 'offerToSend', peer }) as Promise<string>
  }

  /** @returns a receiver's offer */
  offerToReceive(peer: string): Promise<string> {
    return this.#ask({ method: 'offerToReceive', peer }) as Promise<string>
  }

  async takeAnswer(peer: string, sdp: string): Promise<void> {
    await this.#ask({ method: 'takeAnswer', peer, sdp })
  }

  /** @returns the answer of a new receiver to this offer */
  answer(peer: string, sdp: string): Promise<string> {
    return this.#ask({ method: 'answer', peer, sdp }) as Promise<string>
  }

  /** What each receiver has got so far. */
  count(): Promise<Received[]> {
    return this.#ask({ method: 'count' }) as Promise<Received[]>
  }

  #ask(request: LoadRequest): Promise<unknown> {
    return this.#helper.ask(request)
  }

  close(): void {
    this.#helper.close()
  }
}
