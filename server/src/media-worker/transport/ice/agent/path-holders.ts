import type { IceAgentEvents, IcePath, LocalSocket } from './ice-types.ts'
import type { TransportAddress } from './transport-address.ts'

interface Held<Socket extends LocalSocket> {
  path: IcePath<Socket>
  events: IceAgentEvents<Socket>
  /** Whether the other side has answered a check there, and so receives there. */
  isProved: boolean
}

/**
 * Which agent gets what arrives on a path. The source of a check can be forged by anybody who has a call of his own, so the
 * agent whose check was answered last on a path has the best claim: only who receives there can answer.
 */
export class PathHolders<Socket extends LocalSocket> {
  readonly #held = new Map<Socket, Map<string, Held<Socket>>>()

  /** An authentic check came on this path (not proved), or an authentic answer (proved). */
  claim(path: IcePath<Socket>, events: IceAgentEvents<Socket>, isProved: boolean): void {
    const ofSocket = this.#ofSocket(path.socket)
    const key = keyOf(path.remote)
    const held = ofSocket.get(key)
    if (held?.events === events) {
      held.isProved ||= isProved
      return
    }
    if (held && !isProved) return
    ofSocket.set(key, { path, events, isProved })
    if (held) held.events.onPathClosed(held.path)
    events.onPathOpened(path)
  }

  /** Lets go of a path, where this agent has it. */
  release({ socket, remote }: IcePath<Socket>, events: IceAgentEvents<Socket>): void {
    const ofSocket = this.#held.get(socket)
    const held = ofSocket?.get(keyOf(remote))
    if (!ofSocket || held?.events !== events) return
    ofSocket.delete(keyOf(remote))
    if (ofSocket.size === 0) this.#held.delete(socket)
    events.onPathClosed(held.path)
  }

  #ofSocket(socket: Socket): Map<string, Held<Socket>> {
    let ofSocket = this.#held.get(socket)
    if (!ofSocket) {
      ofSocket = new Map()
      this.#held.set(socket, ofSocket)
    }
    return ofSocket
  }
}

const keyOf = ({ address, port }: TransportAddress) => `${address} ${port}`
