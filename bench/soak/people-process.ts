import path from 'node:path'
import { Helper } from '../helper.ts'

export type PeopleRequest =
  | { method: 'ready' }
  | { method: 'join'; url: string; token: string }
  | { method: 'leave' | 'vanish' | 'framesReceived'; person: number }

/** Members whose cameras show the time. They run in a separate process. */
export class People {
  readonly #helper: Helper
  readonly #url: string

  /**
   * @param baseUrl of the server
   * @param authority file with its certificate authority
   */
  constructor(baseUrl: string, authority: string) {
    this.#helper = new Helper(path.join(import.meta.dirname, 'people.ts'), { NODE_EXTRA_CA_CERTS: authority })
    this.#url = baseUrl.replace('https:', 'wss:')
  }

  /** Resolves when their camera clips are ready. */
  async ready(): Promise<void> {
    await this.#helper.ask({ method: 'ready' } satisfies PeopleRequest)
  }

  /** @returns a number for the person, once the server has answered. @throws if the server did not admit them */
  join(token: string): Promise<number> {
    return this.#helper.ask({
      method: 'join',
      url: this.#url,
      token,
    } satisfies PeopleRequest) as Promise<number>
  }

  /** Hangs up. */
  async leave(person: number): Promise<void> {
    await this.#helper.ask({ method: 'leave', person } satisfies PeopleRequest)
  }

  /** Disappears without hanging up, as when a network is gone. */
  async vanish(person: number): Promise<void> {
    await this.#helper.ask({ method: 'vanish', person } satisfies PeopleRequest)
  }

  /** Complete frames of the room's picture received so far. */
  framesReceived(person: number): Promise<number> {
    return this.#helper.ask({ method: 'framesReceived', person } satisfies PeopleRequest) as Promise<number>
  }

  close(): void {
    this.#helper.close()
  }
}
