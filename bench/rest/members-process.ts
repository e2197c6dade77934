import path from 'node:path'
import { Helper } from '../helper.ts'
import { goLast } from '../scheduling.ts'

export type MembersRequest = { method: 'join'; url: string; token: string } | { method: 'framesReceived' }

/** Members of live rooms, in a separate process. */
export class MembersProcess {
  readonly #helper: Helper

  /** @param authority file with the certificate authority of the server */
  constructor(authority: string) {
    this.#helper = new Helper(path.join(import.meta.dirname, 'members.ts'), {
      NODE_EXTRA_CA_CERTS: authority,
    })
  }

  /** In production members have their own machines. Here they get only the processor time that others leave over. */
  goLast(): Promise<void> {
    return goLast(this.#helper.pid)
  }

  /** Resolves when the server has answered. Media starts a moment later. */
  async join(url: string, token: string): Promise<void> {
    await this.#ask({ method: 'join', url, token })
  }

  /** @returns complete frames of the room's picture received so far, for each member */
  framesReceived(): Promise<number[]> {
    return this.#ask({ method: 'framesReceived' }) as Promise<number[]>
  }

  #ask(request: MembersRequest): Promise<unknown> {
    return this.#helper.ask(request)
  }

  close(): void {
    this.#helper.close()
  }
}
