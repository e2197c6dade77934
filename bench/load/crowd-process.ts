import type { ServerProcess } from '../../acceptance/testing/server-process.ts'
import { cpuSeconds } from '../cpu-time.ts'
import type { Helper } from '../helper.ts'
import type { Sound } from '../media/opus-packets.ts'
import { goLast } from '../scheduling.ts'
import type { Seen } from './downlink.ts'
import { openClients } from './open-clients.ts'

/** The film that a camera sends. */
export interface FilmedCamera {
  /** IVF file, VP8. */
  file: string
  height: number
  fps: number
  /**
   * What it sends instead when the server asks for less, the most first, as cameras of pages do (`verto.mediaParams`). Without it, it sends the same whatever
   * is asked for.
   */
  less?: readonly FilmedCamera[]
}

/** Who enters, and what they send. Viewers may come again at once, by the same token, when their call is ended. */
export type Entrant =
  | { as: 'member'; camera: FilmedCamera | null; sound: Sound | null }
  | { as: 'viewer'; returns?: boolean }

/** An {@link Entrant} and where they enter. */
export type Joining = Entrant & { url: string; token: string }

export type CrowdRequest =
  | { method: 'join'; joining: Joining }
  | { method: 'seen' | 'restartSound' | 'leave' }

/** Members and audience of live rooms, in a process of their own that counts as no part of the server. */
export class Crowd {
  readonly #helper: Helper
  readonly #url: string

  constructor(server: ServerProcess) {
    const { helper, url } = openClients('crowd.ts', server)
    this.#helper = helper
    this.#url = url
  }

  /** In production they have their own machines. Here they get only the processor time that others leave over. */
  goLast(): Promise<void> {
    return goLast(this.#helper.pid)
  }

  /** CPU seconds that the crowd itself has used. */
  get cpuSeconds(): number {
    return cpuSeconds(this.#helper.pid)
  }

  /** Resolves when the server has answered. Media starts a moment later. @throws if it admits them not */
  async join(token: string, entrant: Entrant): Promise<void> {
    await this.#ask({ method: 'join', joining: { ...entrant, url: this.#url, token } })
  }

  /** What each has seen so far, in the order of their joins. */
  seen(): Promise<Seen[]> {
    return this.#ask({ method: 'seen' }) as Promise<Seen[]>
  }

  /** Begins to count anew what is missing in the sound. */
  async restartSound(): Promise<void> {
    await this.#ask({ method: 'restartSound' })
  }

  /** Everybody disappears. */
  async leave(): Promise<void> {
    await this.#ask({ method: 'leave' })
  }

  #ask(request: CrowdRequest): Promise<unknown> {
    return this.#helper.ask(request)
  }

  close(): void {
    this.#helper.close()
  }
}
