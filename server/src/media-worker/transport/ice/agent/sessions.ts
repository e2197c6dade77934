import type { IceSession } from './ice-session.ts'
import type { LocalSocket } from './ice-types.ts'
import type { TransportAddress } from './transport-address.ts'

/** How long a session from before a restart is answered once there is a path of the new one. */
const RETIREMENT_MS = 5000

/** The latest session of an agent, and the one before a restart while it may still be in use. */
export class Sessions<Socket extends LocalSocket> {
  readonly #onEnd: (session: IceSession<Socket>) => void
  #latest: IceSession<Socket>
  #previous: IceSession<Socket> | null = null
  /** When the previous one is to be forgotten. */
  #endsAtMs = Number.POSITIVE_INFINITY

  /** @param onEnd is told each session that is forgotten, once it is none of these any more */
  constructor(first: IceSession<Socket>, onEnd: (session: IceSession<Socket>) => void) {
    this.#latest = first
    this.#onEnd = onEnd
  }

  get latest(): IceSession<Socket> {
    return this.#latest
  }

  /** The latest first. */
  get all(): IceSession<Socket>[] {
    return this.#previous ? [this.#latest, this.#previous] : [this.#latest]
  }

  /** When {@link tick} has something to do. */
  get dueAtMs(): number {
    return this.#endsAtMs
  }

  /** The session that a check with this username belongs to. */
  named(username: string): IceSession<Socket> | undefined {
    return this.all.find(({ usernameOfChecks }) => usernameOfChecks === username)
  }

  /** Whether any of them has a pair of this path. */
  use(socket: Socket, remote: TransportAddress): boolean {
    return this.all.some(({ list }) => list.find(socket, remote))
  }

  /** @param kept the session whose path is in use, if there is one; others are forgotten */
  restart(next: IceSession<Socket>, kept: IceSession<Socket> | null): void {
    const before = this.all
    this.#latest = next
    this.#previous = kept
    this.#endsAtMs = Number.POSITIVE_INFINITY
    for (const session of before) if (session !== kept) this.#onEnd(session)
  }

  /** There is a path of the latest one: the previous one is only answered from now on, and not for long. */
  onPathOfLatest(nowMs: number): void {
    if (this.#previous) this.#endsAtMs = nowMs + RETIREMENT_MS
  }

  tick(nowMs: number): void {
    if (nowMs >= this.#endsAtMs) this.endPrevious()
  }

  endPrevious(): void {
    const session = this.#previous
    this.#previous = null
    this.#endsAtMs = Number.POSITIVE_INFINITY
    if (session) this.#onEnd(session)
  }
}
